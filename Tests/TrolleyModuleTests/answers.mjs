// Does calls in modules, in node and in a page. A call is a line: its name, the handle, the input. An answer is the
// output, or `!` and the error.

/**
 * @param {{Trolley, TrolleyError}} module  web/trolley.js
 * @param {(BufferSource | Promise<Response>)[]} sources  the modules: the first that has a call does it
 * @param {string} calls
 * @returns {Promise<string[]>}
 */
export async function answers({ Trolley, TrolleyError }, sources, calls) {
    const modules = await Promise.all(sources.map(source => Trolley.load(source)));
    const encoder = new TextEncoder(), decoder = new TextDecoder();
    return calls.split('\n').filter(line => line !== '').map(line => {
        const [name, handle] = line.split(' ', 2);
        const input = line.slice(name.length + handle.length + 2);
        let answer;
        for (const trolley of modules) {
            try {
                return decoder.decode(trolley.callBytes(name, Number(handle), encoder.encode(input)));
            } catch (error) {
                if (!(error instanceof TrolleyError)) throw error;
                answer = `!${error.message}`;
                if (!answer.includes('another module has this call')) break;
            }
        }
        return answer;
    });
}
