// Answers may overtake each other, and an answer to an earlier question must not take the place of a later one's.

/**
 * Orders the answers to a question that is asked again and again.
 * @returns {() => () => boolean}  to be called when asking; then, when the answer is there: whether it is news
 */
export function inOrder() {
    let asked = 0, answered = 0;
    return () => {
        const number = ++asked;
        return () => {
            if (number < answered) return false;
            answered = number;
            return true;
        };
    };
}
