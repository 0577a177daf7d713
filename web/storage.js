// JSON in the browser's local storage.

/**
 * The object stored under a key. Anything else, which a user or another script may have written, counts as empty.
 * @param {string} key @returns {Record<string, any>}
 */
export function load(key) {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? "{}");
    return isObject(stored) ? stored : {};
  } catch {
    return {};
  }
}

/** @param {unknown} value @returns {value is Record<string, any>} */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {string} key @param {unknown} value @returns {boolean} false: the browser has no storage, or it is full */
export function save(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    // Without storage the page works until it is closed.
    return false;
  }
}
