import { posix } from 'node:path'
import type { Position, Problem } from '../../errors.ts'
import type { Blocked } from '../../state/application/desired.ts'
import type { Deployment } from '../../state/fleet/deployment.ts'
import { documentNameOf } from '../../state/repository/layout.ts'
import { nearest } from '../../text/suggestion/nearest.ts'
import type { DeploymentFile, ValidDeployment } from './parse.ts'

/** The deployments of an environment, and what is wrong with others. */
export type Deployments = {
  /** One for each application at most, each of an application that exists. */
  readonly deployments: readonly Deployment[]
  /** Where a deployment names its application, by the application, whether it can be used or not. */
  readonly named: ReadonlyMap<string, Position>
  /** Applications of which nothing is touched (D15). */
  readonly blocked: readonly Blocked[]
}

/**
 * Judges the deployments of an environment together. A deployment that cannot be used blocks the application that it is
 * about (D15), because without one that application would go to all sites at once. If that application cannot be told,
 * it blocks all applications that have no deployment. A second deployment of an application blocks it (A2), and so does
 * one with the name of another application. If one names an application that does not exist, the application that was probably meant is blocked. A file that is not read blocks
 * its application unless that has a deployment; one of the environment's own, unless that deployment is, too.
 *
 * @param known the applications that the manifest names, or that have a specification
 * @param environment the directory of the environment
 */
export function deploymentsAmong(
  files: Iterable<DeploymentFile>,
  known: ReadonlySet<string>,
  environment: string,
): Deployments {
  const all = [...files]
  const valid = all.filter(file => file.state === 'valid')
  const byApplication = Map.groupBy(valid, ({ deployment }) => deployment.application)
  const isFree = (application: string) => known.has(application) && !byApplication.has(application)
  const faults = [
    ...[...byApplication.values()].flatMap(secondOnes),
    ...namesakes(valid, known),
    ...unknownOnes(valid, known, isFree, environment),
    ...unusableOnes(all, known, isFree),
    ...strayOnes(all, known, environment),
  ]
  const byBlocked = Map.groupBy(faults, ({ application }) => application)
  return {
    deployments: valid
      .filter(({ deployment }) => !byBlocked.has(deployment.application))
      .map(({ deployment }) => deployment),
    named: new Map(all.flatMap(namedBy)),
    blocked: [...byBlocked].flatMap(([application, ofOne]): readonly Blocked[] => {
      const [first, ...more] = ofOne.map(({ problem }) => problem)
      return first === undefined ? [] : [{ application, problems: [first, ...more] }]
    }),
  }
}

/** What keeps an application from being touched. */
type Fault = { readonly application: string; readonly problem: Problem }

function secondOnes([first, ...others]: readonly ValidDeployment[]): readonly Fault[] {
  return others.map(({ deployment: { application }, applicationAt }) => ({
    application,
    problem: {
      code: 'duplicate-deployment',
      message: `/application is "${application}", which ${first?.file} deploys already; an application has one deployment`,
      position: applicationAt,
    },
  }))
}

/** A person who names one of the two says what is to become of it, such as that it goes on (A33, G14). */
function namesakes(valid: readonly ValidDeployment[], known: ReadonlySet<string>): readonly Fault[] {
  return valid.flatMap(({ deployment: { name, application }, nameAt }) => {
    if (name === application || !known.has(name)) return []
    const message = `/name is "${name}", which is another application than "${application}", so that nobody could tell which of the two a command means; give the deployment another name`
    return [{ application, problem: { code: 'deployment-invalid', message, position: nameAt } }]
  })
}

function unknownOnes(
  valid: readonly ValidDeployment[],
  known: ReadonlySet<string>,
  isFree: (application: string) => boolean,
  environment: string,
): readonly Fault[] {
  const unknown = valid.filter(({ deployment }) => !known.has(deployment.application))
  return unknown.flatMap(({ file, deployment: { application }, applicationAt }, index) => {
    const guess = index < mostGuesses ? nearest(application, [...known].filter(isFree)) : undefined
    const advice = guess === undefined ? '' : `; did you mean "${guess}"?`
    const problem: Problem = {
      code: 'deployment-invalid',
      message: `/application is "${application}", and ${environment} has no such application${advice}`,
      position: applicationAt,
    }
    const meant = new Set([application, ...(guess === undefined ? [] : [guess]), ...ofName(file, isFree)])
    return [...meant].map(name => ({ application: name, problem }))
  })
}

/** A guess looks at all applications, so that many of them would take long (G24). */
const mostGuesses = 5

function unusableOnes(
  all: readonly DeploymentFile[],
  known: ReadonlySet<string>,
  isFree: (application: string) => boolean,
): readonly Fault[] {
  const unusable = all
    .filter(file => file.state === 'invalid')
    .map(({ file, problems, application }) => {
      const name = documentNameOf(posix.basename(file))
      return { file, name, problems, application: application ?? (known.has(name) ? name : undefined) }
    })
  const own = unusable.flatMap(({ file, name, application = name, problems }) =>
    [...new Set([application, ...ofName(file, isFree)])].flatMap(meant =>
      problems.map(problem => ({ application: meant, problem })),
    ),
  )
  const untold = unusable.find(({ application }) => application === undefined)
  if (untold === undefined) return own
  // One file that may be about any of them is reason enough.
  const [problem] = untold.problems
  return [...own, ...[...known].filter(isFree).map(application => ({ application, problem }))]
}

function strayOnes(
  all: readonly DeploymentFile[],
  known: ReadonlySet<string>,
  environment: string,
): readonly Fault[] {
  const isOwn = ({ file }: DeploymentFile) => file.startsWith(`${environment}/`)
  const namedIn = (some: readonly DeploymentFile[]) => new Set(some.flatMap(namedBy).map(([name]) => name))
  const anywhere = namedIn(all)
  const here = namedIn(all.filter(isOwn))
  return all.flatMap(one => {
    if (one.state !== 'stray') return []
    const { file, application = '', problem } = one
    const deployed = isOwn(one) ? here : anywhere
    const meant = new Set([application, documentNameOf(posix.basename(file))])
    return [...meant]
      .filter(name => known.has(name) && !deployed.has(name))
      .map(name => ({ application: name, problem }))
  })
}

/** The file of an application's name is probably its deployment, whatever it says inside. */
function ofName(file: string, isFree: (application: string) => boolean): readonly string[] {
  return [documentNameOf(posix.basename(file))].filter(isFree)
}

function namedBy(file: DeploymentFile): readonly (readonly [string, Position])[] {
  if (file.state === 'stray') return []
  if (file.state === 'valid') return [[file.deployment.application, file.applicationAt]]
  return file.application === undefined ? [] : [[file.application, { file: file.file }]]
}
