/** Selects the number of the last change of a wanted version, over all applications; 0: there was none. */
export const lastSeq = `max(coalesce((SELECT max(wanted_seq) FROM release_entry), 0),
  coalesce((SELECT max(wanted_seq) FROM absent_version), 0))`

/**
 * Selects the number of the next one. No number is given twice: the greatest one is that of a version which is wanted, and
 * that is never removed.
 */
export const nextSeq = `(${lastSeq} + 1)`
