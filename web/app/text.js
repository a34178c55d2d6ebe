// The page's texts in the person's language. Each language has one file in text/.

export const LANGUAGES = {
    de: 'Deutsch', en: 'English', es: 'Español', fr: 'Français', he: 'עברית', it: 'Italiano', nl: 'Nederlands',
};
const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur']);

let texts = {};
let plural = new Intl.PluralRules('en');
let ordinal = plural;
/** The language with the browser's region, if it has one, for the format of times and dates. */
let region = 'en';
export let language = 'en';

/** Loads the chosen language, otherwise the browser's first language that exists and can be loaded, otherwise English. */
export async function loadTexts(chosen) {
    const wanted = [chosen, ...(navigator.languages ?? []), 'en'].map(tag => tag?.slice(0, 2)).filter(tag => tag in LANGUAGES);
    for (const tag of new Set(wanted)) {
        try {
            texts = (await import(`./text/${tag}.js`)).default;
            language = tag;
            break;
        } catch (error) {
            console.warn('a language could not be loaded', error);
        }
    }
    if (!has('failure.title')) throw new Error('no language could be loaded');
    plural = new Intl.PluralRules(language);
    ordinal = new Intl.PluralRules(language, { type: 'ordinal' });
    region = (navigator.languages ?? []).find(tag => tag.slice(0, 2) === language) ?? language;
    document.documentElement.lang = language;
    document.documentElement.dir = RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
    // What the installed app's icon offers is in the page's language, too.
    document.querySelector('link[rel=manifest]').href = language === 'en' ? '/manifest.webmanifest' : `/manifest.${language}.webmanifest`;
}

/** Adds the texts of a screen that few people open. */
export const addTexts = more => { texts = { ...texts, ...more }; };

/** A value that may be written in the other direction, so that it moves none of the words around it. */
export function isolate(value) {
    const isOther = document.documentElement.dir === 'rtl' ? /\p{L}/u : /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF]/;
    return typeof value === 'string' && isOther.test(value) ? `\u2068${value}\u2069` : value;
}

/** The text of a key. `{name}` stands for a value; with `n`, the entry has its plural forms, with `place` those of '4th'. */
export function t(key, values = {}) {
    let text = texts[key];
    if (text && typeof text === 'object') text = text['place' in values ? ordinal.select(values.place) : plural.select(values.n)] ?? text.other;
    return text === undefined ? key : text.replace(/\{(\w+)\}/g, (all, name) => isolate(values[name]) ?? all);
}

/** Whether a text exists. A later service may have codes without one. */
export const has = key => key in texts;

const formats = new Map();
function format(kind, options) {
    const key = JSON.stringify(options) + kind.name;
    if (!formats.has(key)) formats.set(key, new kind(region, options));
    return formats.get(key);
}

/** '12:04' today, 'Fri 12:04' within six days, else the day. */
export function time(at) {
    const date = new Date(at), now = new Date();
    if (date.toDateString() === now.toDateString()) return clock(at);
    if (Math.abs(now - date) < 6 * 86_400_000) return `${format(Intl.DateTimeFormat, { weekday: 'short' }).format(date)} ${clock(at)}`;
    return format(Intl.DateTimeFormat, { day: 'numeric', month: 'short' }).format(date);
}

/** '12:04'. */
export const clock = at => format(Intl.DateTimeFormat, { hour: '2-digit', minute: '2-digit' }).format(new Date(at));

/** A duration in milliseconds: '1 hour 5 minutes'. */
export function length(duration) {
    const minutes = Math.max(1, Math.round(duration / 60_000));
    const unit = (count, unit) => count > 0 && format(Intl.NumberFormat, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
    return [unit(Math.floor(minutes / 60), 'hour'), unit(minutes % 60, 'minute')].filter(Boolean).join(' ');
}

export const day = at => format(Intl.DateTimeFormat, { weekday: 'long', day: 'numeric', month: 'long' }).format(new Date(at));
export const moment = at => format(Intl.DateTimeFormat, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));
export const names = list => format(Intl.ListFormat, { type: 'conjunction' }).format(list.map(isolate));
