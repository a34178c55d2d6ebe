// Creates elements. People's texts only become text nodes.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * An element.
 * @param {string} tag  'button.primary': with classes
 * @param {object} [values]  `on…` are listeners; true gives an empty attribute; null, undefined and false are left out
 * @param {...(Node | string | null | undefined | false | Array)} children
 */
export function h(tag, values = {}, ...children) {
    const [name, ...classes] = tag.split('.');
    const element = document.createElement(name);
    if (classes.length) element.className = classes.join(' ');
    if (name === 'button') element.type = 'button';
    set(element, values);
    element.append(...flat(children));
    return element;
}

export function set(element, values) {
    for (const [key, value] of Object.entries(values)) {
        if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
        else if (key.startsWith('aria-') && typeof value === 'boolean') element.setAttribute(key, String(value));
        else if (value === null || value === undefined || value === false) element.removeAttribute(key);
        else element.setAttribute(key, value === true ? '' : value);
    }
    return element;
}

/** Gives an element these children. Those that it has already keep the focus, which the browser would take from them. */
export function fill(element, ...children) {
    const { activeElement } = document;
    element.replaceChildren(...flat(children));
    if (element.contains(activeElement)) activeElement.focus({ preventScroll: true });
    return element;
}

const flat = children => children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false);

/** Paths of 24 × 24, drawn by lines. */
const ICONS = {
    plus: 'M12 5v14M5 12h14', minus: 'M5 12h14', check: 'M5 12.5l4.5 4.5L19 7.5', back: 'M15 5l-7 7 7 7', close: 'M6 6l12 12M18 6L6 18',
    more: 'M5 12h.01M12 12h.01M19 12h.01', undo: 'M9 14L4 9l5-5M4 9h10a6 6 0 010 12h-3',
    redo: 'M15 14l5-5-5-5M20 9H10a6 6 0 000 12h3', grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
    search: 'M11 4a7 7 0 100 14 7 7 0 000-14zM16.5 16.5L20 20',
    person: 'M12 4a4 4 0 100 8 4 4 0 000-8zM4 21c0-4 3.6-6 8-6s8 2 8 6',
    people: 'M9 5a3.5 3.5 0 100 7 3.5 3.5 0 000-7zM2.5 20c0-3.6 2.9-5.5 6.5-5.5s6.5 1.9 6.5 5.5M16 5.3a3.5 3.5 0 010 6.4M18 14.9c2.2.7 3.5 2.5 3.5 5.1',
    share: 'M12 15V4M8 7.5L12 4l4 3.5M6 12H5v8h14v-8h-1', trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
    cloud: 'M7 18a4 4 0 01-.5-8A6 6 0 0118 9.5a4.3 4.3 0 01-.7 8.5z', off: 'M4 4l16 16M7 18a4 4 0 01-.5-8M9.5 6A6 6 0 0118 9.5a4.3 4.3 0 012 7',
    clock: 'M12 4a8 8 0 100 16 8 8 0 000-16zM12 8v4l3 2', edit: 'M4 20h4L19 9l-4-4L4 16z',
    alert: 'M12 4L2.5 20h19zM12 10v4M12 17h.01', list: 'M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01',
    cart: 'M3 4h2.5l2.3 11h10l2.2-8H6.3M9.5 19.5h.01M16.5 19.5h.01', bell: 'M6 16V11a6 6 0 0112 0v5l1.5 2h-15zM10 21h4',
    copy: 'M9 9h11v11H9zM5 15H4V4h11v1', mail: 'M3 6h18v12H3zM3 7l9 6 9-6', tag: 'M4 4h8l8 8-8 8-8-8zM8 8h.01',
    talk: 'M4 5h16v11H10l-4 4v-4H4z', send: 'M4 12l16-8-5 16-4-7z', pin: 'M9 4h6l-1 6 3 3H7l3-3zM12 13v7',
    down: 'M6 9l6 6 6-6', up: 'M6 15l6-6 6 6', sparkle: 'M12 4v16M4 12h16M7 7l10 10M17 7L7 17',
    box: 'M4 5h16v4H4zM5.5 9v10h13V9M10 13h4',
    help: 'M12 3a9 9 0 100 18 9 9 0 000-18zM9.5 9.5a2.5 2.5 0 113.6 2.2c-.8.4-1.1.9-1.1 1.8M12 16.8h.01',
};

export function icon(name, extra = '') {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('aria-hidden', 'true');
    svg.setAttribute('class', `icon ${extra}`);
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', ICONS[name]);
    svg.append(path);
    return svg;
}

/** A button with only an icon. Its label is for screen readers, and shows on hovering. */
export const iconButton = (name, label, onclick, values = {}) =>
    h('button.icon-button', { 'aria-label': label, title: label, onclick, ...values }, icon(name));
