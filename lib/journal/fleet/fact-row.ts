import { optional } from '../../object.ts'
import type { RecordedFact, RunWord, SiteReached } from '../../state/fleet/run.ts'
import { beginningOf } from '../store/beginning.ts'
import type { Row } from '../store/database.ts'
import { integer, optionalText, text, word } from '../store/row.ts'

/** All kinds of facts of a run. */
export const kinds: readonly RecordedFact['kind'][] = [
  'had',
  'batch',
  'reached',
  'stopped',
  'silent',
  'renamed',
  'joined',
  'hindered',
  'failed',
  'word',
]

/** Returns what a row of `run_fact` has of a fact besides its kind and its time. */
export function partsOfFact(fact: RecordedFact): {
  readonly subject: string
  readonly detail?: string
  readonly step?: string
  readonly content?: string
} {
  switch (fact.kind) {
    case 'had':
    case 'joined':
      return { subject: '', detail: JSON.stringify(fact.sites) }
    case 'batch':
      return { subject: fact.isCanary === true ? 'canary' : '', detail: JSON.stringify(fact.sites) }
    case 'reached':
      return {
        subject: fact.site,
        ...optional('detail', howReached(fact)),
      }
    case 'stopped':
      return { subject: fact.site, ...(fact.isEnd ? { detail: 'ended' } : {}) }
    case 'silent':
      return { subject: fact.site, ...(fact.isGone ? { detail: 'gone' } : {}) }
    case 'renamed':
      return { subject: fact.site, detail: fact.to }
    case 'hindered':
      return { subject: fact.site, ...(fact.untilMs === undefined ? {} : { detail: String(fact.untilMs) }) }
    case 'failed':
      return {
        ...{ subject: fact.site, detail: beginningOf(fact.reason) },
        ...optional('step', fact.step),
        ...optional('content', fact.content),
      }
    case 'word':
      return { subject: fact.word, detail: JSON.stringify([fact.who, beginningOf(fact.message ?? '')]) }
  }
}

/** Returns `own restarted`; undefined: there is nothing to say. */
function howReached({ isOwn, isRestarted, isEnd }: SiteReached): string | undefined {
  const words = [...(isOwn ? ['own'] : []), ...(isRestarted ? [isEnd ? 'revived' : 'restarted'] : [])]
  return words.length === 0 ? undefined : words.join(' ')
}

function reachedHow(words: readonly string[]): Pick<SiteReached, 'isOwn' | 'isRestarted' | 'isEnd'> {
  const isEnd = words.includes('revived')
  return {
    ...(words.includes('own') ? { isOwn: true } : {}),
    ...(isEnd || words.includes('restarted') ? { isRestarted: true } : {}),
    ...(isEnd ? { isEnd } : {}),
  }
}

const runWords: readonly RunWord[] = ['continue', 'pause', 'resume', 'abort']

/** Reads a row of `run_fact`. */
export function factOf(row: Row): RecordedFact {
  const atMs = integer(row, 'at')
  const [subject, detail = ''] = [text(row, 'subject'), optionalText(row, 'detail')]
  const kind = word(row, 'kind', kinds)
  switch (kind) {
    case 'had':
    case 'joined':
      return { kind, atMs, sites: JSON.parse(detail) }
    case 'batch':
      return {
        kind,
        atMs,
        sites: JSON.parse(detail),
        ...(subject === 'canary' ? { isCanary: true as const } : {}),
      }
    case 'reached':
      return {
        ...{ kind, atMs, site: subject },
        ...reachedHow(detail.split(' ')),
      }
    case 'stopped':
      return { kind, atMs, site: subject, ...(detail === 'ended' ? { isEnd: true as const } : {}) }
    case 'silent':
      return { kind, atMs, site: subject, ...(detail === 'gone' ? { isGone: true as const } : {}) }
    case 'renamed':
      return { kind, atMs, site: subject, to: detail }
    case 'hindered':
      return { kind, atMs, site: subject, ...(detail === '' ? {} : { untilMs: Number(detail) }) }
    case 'failed':
      return {
        ...{ kind, atMs, site: subject, reason: detail },
        ...optional('step', optionalText(row, 'step')),
        ...optional('content', optionalText(row, 'content')),
      }
    case 'word': {
      const [who, message] = JSON.parse(detail)
      const said = word(row, 'subject', runWords)
      return { kind, atMs, word: said, who, ...optional('message', message === '' ? undefined : message) }
    }
  }
}
