/** Returns the greatest of the values that are known. */
export function greatest(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce(
    (most, value) => (value !== undefined && value > (most ?? -Infinity) ? value : most),
    undefined,
  )
}

/** Returns the least of the values that are known. */
export function least(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce(
    (most, value) => (value !== undefined && value < (most ?? Infinity) ? value : most),
    undefined,
  )
}
