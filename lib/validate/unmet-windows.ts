import type { Site } from '../config/site/sites.ts'
import { type Problem, upTo } from '../errors.ts'
import { createWindowClock } from '../fleet/window/window-clock.ts'
import { limits } from '../limits.ts'

/**
 * Returns warnings about sites whose upgrade windows never open, because those of provider and owner have no time in
 * common within a year: every upgrade there waits for ever (A60, G13).
 * @param file the configuration, for sites that have no file of their own
 * @param atMs from when on, in ms since 1970
 */
export async function warningsOnWindows(
  sites: readonly Pick<Site, 'name' | 'file' | 'windows'>[],
  file: string,
  atMs: number,
): Promise<readonly Problem[]> {
  const clock = createWindowClock()
  const both = sites.filter(({ windows: { provider = [], owner = [] } = {} }) => {
    return provider.length > 0 && owner.length > 0
  })
  await clock.load(both)
  const shut = both.filter(({ windows }) => {
    const state = windows === undefined ? undefined : clock.at(windows, atMs)
    return state?.isOpen === false && state.opens === undefined
  })
  const problems = shut.map(
    ({ name, file: own = file }): Problem => ({
      code: 'window-never-opens',
      message: `no upgrade window of the site ${name} ever opens: the windows of provider and owner have no time in common`,
      position: { file: own },
    }),
  )
  return upTo(problems, limits.problemsOfFile)
}
