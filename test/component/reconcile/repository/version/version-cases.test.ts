import { expect } from 'chai'
import type { DesiredState } from '../../../../../lib/state/application/desired.ts'
import { versionOf } from '../../../../../lib/state/application/version-of.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { commitHistory, tags, web } from '../../../../support/git/commit-history.ts'

type Case = {
  readonly says: string
  /** The version of the application in each commit, oldest first; `tag 7`: it has none of its own. */
  readonly came: readonly string[]
  /** `application-version` of the deployment in the newest commit; absent: it has none. */
  readonly deployment?: string
  /** What is deployed, with the number of the commit where that is an earlier one; or why nothing is. */
  readonly deployed: string
}

const missing = (version: string, kept: string) =>
  `version-missing: web: there is no version ${version}; these are kept: ${kept}`

const cases: readonly Case[] = [
  { says: 'A10 the newest for "*"', came: ['1.0', '1.1'], deployment: '*', deployed: '1.1' },
  { says: 'A10 the newest without a deployment', came: ['1.0', '1.1'], deployed: '1.1' },
  { says: 'A10 the one that is named', came: ['1.0', '1.1', '1.2'], deployment: '1.1', deployed: '1.1 of 2' },
  { says: 'A10 the newest, if that is named', came: ['1.0', '1.1'], deployment: '1.1', deployed: '1.1' },
  {
    says: 'A10 none for a version that does not exist yet',
    came: ['1.0'],
    deployment: '1.1',
    deployed: missing('1.1', '1.0'),
  },
  {
    says: 'A10 none for one that only begins like it',
    came: ['1.0', '1.0.1'],
    deployment: '1',
    deployed: missing('1', '1.0.1, 1.0'),
  },
  {
    says: 'A10 upper and lower case are different versions',
    came: ['rc1'],
    deployment: 'RC1',
    deployed: missing('RC1', 'rc1'),
  },
  {
    says: 'A10 1.10 is not 1.1',
    came: ['1.1', '1.10'],
    deployment: '1.1',
    deployed: '1.1 of 1',
  },
  {
    says: 'A12 an earlier one in the order of commits, although its number is greater',
    came: ['2.0', '1.9'],
    deployment: '2.0',
    deployed: '2.0 of 1',
  },
  {
    says: 'A6 the oldest of four',
    came: ['1.0', '2.0', '3.0', '4.0'],
    deployment: '1.0',
    deployed: '1.0 of 1',
  },
  {
    says: 'A6 the oldest of four after five',
    came: ['1.0', '2.0', '3.0', '4.0', '5.0'],
    deployment: '2.0',
    deployed: '2.0 of 2',
  },
  {
    says: 'A6 A10 but not the fifth: that waits',
    came: ['1.0', '2.0', '3.0', '4.0', '5.0', '5.0'],
    deployment: '1.0',
    deployed: missing('1.0', '5.0, 4.0, 3.0, 2.0'),
  },
  {
    says: 'A6 the one that is named in the commit that brings the fifth',
    came: ['1.0', '2.0', '3.0', '4.0', '5.0'],
    deployment: '1.0',
    deployed: '1.0 of 1',
  },
  {
    says: 'A6 of a version that came back, the content of the last time',
    came: ['1.0', '2.0', '1.0', '3.0'],
    deployment: '1.0',
    deployed: '1.0 of 3',
  },
  {
    says: 'A6 one that comes again and again counts once',
    came: ['1.0', '2.0', '1.0', '2.0', '1.0', '3.0', '4.0'],
    deployment: '2.0',
    deployed: '2.0 of 4',
  },
  {
    says: 'X19 without a version of its own, its tag for "*"',
    came: ['tag 7'],
    deployment: '*',
    deployed: '7',
  },
  {
    says: 'X19 A10 without a version of its own, none that is named',
    came: ['tag 7'],
    deployment: '1.0',
    deployed: missing('1.0', '7'),
  },
  {
    says: 'X19 A12 without a version of its own, an earlier tag',
    came: ['tag 6', 'tag 7'],
    deployment: '6',
    deployed: '6 of 1',
  },
  {
    says: 'X19 A12 from a version of its own back to a tag',
    came: ['tag 6', '1.0'],
    deployment: '6',
    deployed: '6 of 1',
  },
  {
    says: 'A10 G24 a version with every sign that it may have',
    came: ['1.0-rc.1+b7', '2.0'],
    deployment: '1.0-rc.1+b7',
    deployed: '1.0-rc.1+b7 of 1',
  },
  { says: 'A10 G24 one that is only a dash', came: ['-', '1'], deployment: '-', deployed: '- of 1' },
]

/** What the deployment may not name, because no version is called so. */
const refused = [
  '',
  ' ',
  '..',
  '../1.0',
  '/etc/passwd',
  '1.0/../2.0',
  'a b',
  'a\\b',
  '1.0\\n',
  '\u00e4',
  '**',
  '1.*',
  '>=1.0',
  '^1.0',
]

/** The commits of a case, called by their numbers. */
function commitsOf({ came, deployment }: Pick<Case, 'came' | 'deployment'>): Readonly<Record<string, Files>> {
  const commits = came.map((version, index): readonly [string, Files] => {
    const number = String(index + 1)
    const tag = /^tag (\d)$/.exec(version)?.[1]
    return [number, tag === undefined ? web(version, number, `of ${number}`) : tags({ web: tag })]
  })
  const newest = String(came.length)
  const named = deployment === undefined ? {} : deploymentOf(deployment)
  return Object.fromEntries(
    commits.map(([number, files]) => [number, number === newest ? { ...files, ...named } : files]),
  )
}

function deploymentOf(version: string): Files {
  const text = `name: web\napplication: web\napplication-version: ${JSON.stringify(version)}\nplacement: {all-sites: true}\n`
  return { 'deployments/web.yaml': text }
}

function deployedIn({ applications, blocked }: DesiredState): string {
  const [one] = applications
  if (one !== undefined) return `${versionOf(one)}${one.commit === undefined ? '' : ` of ${one.commit[0]}`}`
  return blocked.map(({ problems: [{ code, message }] }) => `${code}: ${message}`).join()
}

describe('the version of an application that is deployed', () => {
  for (const one of cases)
    it(`${one.says}: ${one.came.join(', ')} and "${one.deployment ?? ''}"`, async () => {
      const { lookAll, look } = commitHistory(commitsOf(one))
      await lookAll()
      expect(deployedIn(await look(String(one.came.length)))).to.equal(one.deployed)
    })

  for (const version of refused)
    it(`A10 G24 is none, and what runs stays, for ${JSON.stringify(version)}`, async () => {
      const { look } = commitHistory(commitsOf({ came: ['1.0'], deployment: version }))
      expect(deployedIn(await look('1'))).to.match(/^deployment-invalid: .*application-version must be/)
    })
})
