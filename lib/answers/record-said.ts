import type { Answer } from '../journal/decisions/answers.ts'
import { optional } from '../object.ts'
import type { Speaker } from './subject/speaker.ts'
import type { Audience, Subject } from './subject/subject.ts'

/** Records that something was said. */
export function recordSaid(
  { journal, nowMs }: Audience,
  subject: Subject,
  { who, via }: Speaker,
  {
    verb,
    about,
    message = '',
    ...of
  }: Pick<Answer, 'verb' | 'deployment' | 'application' | 'version'> & {
    readonly about?: string | undefined
    readonly message?: string | undefined
  },
): void {
  const said = { verb, ...optional('about', about), ...of, ...(message === '' ? {} : { message }) }
  journal.recordAnswer({ environment: subject.name(), ...said, who, via, atMs: nowMs() })
}
