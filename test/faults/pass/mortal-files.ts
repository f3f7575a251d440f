import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { meetings } from './meetings.ts'

const place: { directory?: string } = {}

/** Says which files are meant: those below a directory. */
export function filesBelow(directory: string): void {
  place.directory = directory
}

/** Changes the calls that change files, for every module that is loaded from now on. */
export function mortalFiles(): void {
  const meet = meetings('file')
  const names = ['mkdir', 'open', 'writeFile', 'rename', 'rm'] as const
  const mortal = names.map(name => {
    const original: (...given: never[]) => Promise<unknown> = promises[name]
    const call = async (...given: unknown[]) => {
      const { directory } = place
      const mine = directory !== undefined && String(given[0]).startsWith(directory)
      const die = mine ? meet(`${name} ${String(given[0]).slice(directory.length)}`) : () => undefined
      die('before')
      try {
        return await Reflect.apply(original, promises, given)
      } finally {
        die('after')
      }
    }
    return [name, call] as const
  })
  Object.assign(promises, Object.fromEntries(mortal))
  syncBuiltinESMExports()
}
