import { optional } from '../../object.ts'
import { beginningOf } from '../store/beginning.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalText, text, word } from '../store/row.ts'
import type { Via } from './approvals.ts'

/** What a person may say. */
export type AnswerVerb =
  | 'approve'
  | 'discard'
  | 'suspend'
  | 'resume'
  | 'retry'
  | 'rollback'
  | 'drain'
  | 'undrain'
  | 'pause'
  | 'abort'
  | 'redeploy'
  | 'force-upgrade'
  | 'delete-upgrade'

/** What somebody said: the record outlives what it led to. */
export type Answer = {
  readonly environment: string
  readonly verb: AnswerVerb
  /** The plan, the application, the deployment, or the site; absent: the whole environment. */
  readonly about?: string
  /** The deployment that it had an effect on, and whose application that is; absent: it had one on none. */
  readonly deployment?: string
  readonly application?: string
  /** The version that the deployment was bringing to its sites; absent: none. */
  readonly version?: string
  readonly who: string
  readonly via: Exclude<Via, 'skipConfirmation'>
  readonly message?: string
  readonly atMs: number
}

export type AnswerQuery = {
  readonly environment?: string
  /** Only what was said about that application, or about its deployment. */
  readonly application?: string
  readonly sinceMs?: number
  /** At most 1,000. */
  readonly limit: number
}

export type Answers = {
  recordAnswer(answer: Answer): void
  /** Returns what was said, the newest first. */
  answers(query: AnswerQuery): readonly Answer[]
}

const mostAnswers = 1_000

/** Keeps what was said in a database. */
export function answersIn(database: Database): Answers {
  return {
    recordAnswer: ({
      environment,
      verb,
      about,
      deployment,
      application,
      version,
      who,
      via,
      message,
      atMs,
    }) => {
      database.run(
        `INSERT INTO answer (environment, verb, about, deployment, application, version, who, via, message, at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        environment,
        verb,
        about,
        deployment,
        application,
        version,
        who,
        via,
        message === undefined ? undefined : beginningOf(message),
        atMs,
      )
    },
    answers: ({ environment, application, sinceMs, limit }) =>
      database
        .all(
          `SELECT * FROM answer
             WHERE (?1 IS NULL OR environment = ?1) AND (?2 IS NULL OR about = ?2 OR application = ?2)
               AND (?3 IS NULL OR at >= ?3)
             ORDER BY id DESC LIMIT ?4`,
          environment,
          application,
          sinceMs,
          Math.min(limit, mostAnswers),
        )
        .map(answerOf),
  }
}

const verbs: readonly AnswerVerb[] = [
  'approve',
  'discard',
  'suspend',
  'resume',
  'retry',
  'rollback',
  'drain',
  'undrain',
  'pause',
  'abort',
  'redeploy',
  'force-upgrade',
  'delete-upgrade',
]
const vias: readonly Answer['via'][] = ['terminal', 'flag', 'control', 'command']

function answerOf(row: Row): Answer {
  return {
    environment: text(row, 'environment'),
    verb: word(row, 'verb', verbs),
    ...optional('about', optionalText(row, 'about')),
    ...optional('deployment', optionalText(row, 'deployment')),
    ...optional('application', optionalText(row, 'application')),
    ...optional('version', optionalText(row, 'version')),
    who: text(row, 'who'),
    via: word(row, 'via', vias),
    ...optional('message', optionalText(row, 'message')),
    atMs: integer(row, 'at'),
  }
}
