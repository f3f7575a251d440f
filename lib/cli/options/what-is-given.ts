import { type Command, InvalidArgumentError } from 'commander'

/** Reads an option that may be given several times: each value counts. */
export function repeatable(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/**
 * Makes a command refuse a second value of every option that is not `repeatable`. Otherwise only the last value would
 * count, and nobody would be told.
 */
export function refuseRepeats({ options }: Command): void {
  for (const option of options) {
    const { parseArg: read } = option
    if (!option.required || read === repeatable) continue
    let isGiven = false
    option.argParser((value: string, before: unknown) => {
      if (isGiven) throw new InvalidArgumentError('It may be given once: only the last value would count.')
      isGiven = true
      return read === undefined ? value : read(value, before)
    })
  }
}

/** Makes a command refuse an argument without a character, as of a variable that nobody has set: it would mean none. */
export function refuseEmpty({ registeredArguments }: Command): void {
  for (const argument of registeredArguments) {
    const { parseArg: read, variadic } = argument
    argument.argParser((value: string, before: unknown) => {
      if (value.trim() === '') throw new InvalidArgumentError('It must not be empty.')
      if (read !== undefined) return read(value, before)
      return variadic ? [...(Array.isArray(before) ? before : []), value] : value
    })
  }
}
