import { shortName } from '../../git/ref.ts'
import { foreign, type Line, styled } from '../../plan/text/line.ts'
import type { GoingBack, Proposal } from '../../revert-commit/propose.ts'
import { shortCommit } from '../../state/repository/revision.ts'
import { type StaysAsItIs, stayingTexts } from '../commands/rollback/way-back.ts'

/** A proposal as people see it before it is pushed. */
export type ShownProposal = Pick<Proposal, 'told' | 'branch' | 'files'> & {
  readonly diff: string
  /** Where nothing would come of it. */
  readonly staying: readonly StaysAsItIs[]
}

/** Returns a proposal for people: what goes back, every line that changes, and where nothing would come of it. */
export function linesOf({ told, branch, files, diff, staying }: ShownProposal): readonly Line[] {
  return [
    `${whatGoes(told)}, by a commit on ${shortName(branch.name)} that changes ${files.map(({ path }) => path).join(', ')}:`,
    '',
    ...diff.trimEnd().split('\n').map(diffLine),
    '',
    ...stayingTexts(staying).map(text =>
      styled('yellow', `It would stay as it is (no-upgrade-path): ${text}`),
    ),
    ...(staying.length === 0 ? [] : ['']),
  ]
}

function whatGoes({ environment, application, from, to }: GoingBack): string {
  const at = ({ version, commit }: GoingBack['to']) =>
    version === undefined ? shortCommit(commit) : `${version} (${shortCommit(commit)})`
  if (application === undefined)
    return `${environment.name} goes back from ${shortCommit(from.commit)} to ${at(to)}`
  // It was removed, or its version of now cannot be told.
  const now = from.version === undefined ? '' : `from ${from.version} `
  return `${application} in ${environment.name} goes back ${now}to ${at(to)}`
}

function diffLine(line: string): Line {
  if (/^(?:diff |--- |\+\+\+ )/.test(line)) return foreign(line, 'bold')
  if (line.startsWith('+')) return foreign(line, 'green')
  return foreign(line, line.startsWith('-') ? 'red' : undefined)
}

/** Returns a proposal as JSON. */
export function documentOf({ told, branch, files, diff, staying }: ShownProposal): object {
  const { environment, ...rest } = told
  return {
    environment: environment.name,
    ...rest,
    branch: shortName(branch.name),
    files: files.map(({ path }) => path),
    diff,
    ...(staying.length === 0 ? {} : { staysAsItIs: staying }),
  }
}
