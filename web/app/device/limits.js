/** The bytes that the service takes in the JSON of an entry's fields, `bytesOfFields` of its limits by default. */
const BYTES_OF_FIELDS = 4096;

/** Refuses what the service would refuse, before it shows anywhere. */
export function checkSizes(drafts) {
    for (const { fields } of drafts) {
        if (fields && new TextEncoder().encode(JSON.stringify(fields)).length > BYTES_OF_FIELDS) {
            throw Object.assign(new Error('the fields of an entry are too long'), { code: 'tooLong' });
        }
    }
}
