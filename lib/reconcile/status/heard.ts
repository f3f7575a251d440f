import type { Answers, AnswerVerb } from '../../journal/decisions/answers.ts'
import { splitKey } from '../../plan/change/change.ts'
import { isoText } from '../../text/time.ts'
import type { LoopState } from '../loop/loop-state.ts'
import { resultsBySite } from '../site/result/join-results.ts'
import type { PassError } from './error.ts'

/** What was said of an environment, and when a site was last looked at. */
export type HeardSource = {
  readonly environment: string
  readonly journal: Pick<Answers, 'answers'>
  /** Returns when the last pass over a site ended, in ms since 1970. */
  readonly endedMs: (site: string) => number
}

/** The words that have something tried again, as hints ask for them. */
const asked = { resume: '"tallyman resume', retry: '"tallyman retry' } as const satisfies Partial<
  Record<AnswerVerb, string>
>

/** So many words are looked at: an older one has been heeded by a pass since, or its error is not the last one. */
const mostWords = 32

/**
 * Returns errors of which none asks for a word that somebody has given since the pass that found it: until the next one,
 * there is nothing else to do (G13).
 */
export function heard(errors: readonly PassError[], source: HeardSource): readonly PassError[] {
  const isAsking = ({ hint }: PassError) => Object.values(asked).some(text => hint.includes(text))
  if (!errors.some(isAsking)) return errors
  const said = source.journal.answers({ environment: source.environment, limit: mostWords })
  return errors.map(error => {
    const { site, application } = splitKey(error.resource ?? '')
    const given = said.find(
      ({ verb, about, atMs }) =>
        (verb === 'resume' || verb === 'retry') &&
        error.hint.includes(asked[verb]) &&
        (about === undefined || about === application) &&
        atMs > source.endedMs(site),
    )
    if (given === undefined) return error
    const { verb, about, who, atMs } = given
    const word = about === undefined ? `tallyman ${verb}` : `tallyman ${verb} ${about}`
    return {
      ...error,
      hint: `Nothing to do until the next pass: ${who} said "${word}" at ${isoText(atMs)}.`,
    }
  })
}

/** Returns when the last passes over sites ended, as far as a loop knows that; else, when anything was looked at. */
export function passEnds(loop: LoopState | undefined, lookedMs = 0): HeardSource['endedMs'] {
  const passes = loop?.last === undefined ? [] : resultsBySite(loop.last)
  const ends = new Map(passes.map(({ site = '', endedMs }) => [site, endedMs]))
  return site => ends.get(site) ?? lookedMs
}
