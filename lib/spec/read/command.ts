import type { Command, Container } from '../application.gen.ts'
import { splitWords } from '../grammar/words.ts'
import type { Spot } from '../spot.ts'

/** What a container starts instead of its image's entrypoint and command; absent: the image's own. */
export type Start = { readonly entrypoint?: readonly string[]; readonly command?: readonly string[] }

/**
 * Reads `entrypoint` and `cmd` or `command`. An empty entrypoint clears the image's, and then a command is needed. An
 * empty command is refused, because the engine would use the image's.
 */
export function readStart(written: Container, spot: Spot): Start {
  if (written.cmd !== undefined && written.command !== undefined)
    spot.at('command').fault('says the same as "cmd"; keep one of them')
  const key = written.command === undefined ? 'cmd' : 'command'
  const command = readWords(written[key], spot.at(key))
  const entrypoint = readWords(written.entrypoint, spot.at('entrypoint'))
  if (command?.length === 0) spot.at(key).fault("is empty; leave it out to have the image's own")
  if (isNothing(entrypoint) && command === undefined)
    spot.at('entrypoint').fault('is empty, and there is no command either')
  if (isNothing(entrypoint) && command?.[0] === '')
    spot.at(key).fault('begins with an empty word, which is no program')
  if (entrypoint?.[0] === '' && entrypoint.length > 1)
    spot.at('entrypoint').fault('begins with an empty word, which is no program')
  return {
    ...(entrypoint === undefined ? {} : { entrypoint: entrypoint.length === 0 ? [''] : entrypoint }),
    ...(command === undefined ? {} : { command }),
  }
}

/** Whether it clears the image's entrypoint. The engine also accepts an empty word for that. */
function isNothing(entrypoint: readonly string[] | undefined): boolean {
  return entrypoint?.length === 0 || (entrypoint?.length === 1 && entrypoint[0] === '')
}

function readWords(written: Command | undefined, spot: Spot): readonly string[] | undefined {
  return typeof written === 'string' ? spot.take(splitWords(written)) : written
}
