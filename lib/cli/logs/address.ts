import { posix } from 'node:path'
import { Failure } from '../../errors.ts'
import { isMeant } from '../../state/identity.ts'
import type { Logged } from '../../state/running/logged.ts'
import { unknownName } from '../../text/suggestion/unknown-name.ts'

/** Whether the output of a container is meant. */
export type IsMeant = (one: Logged) => boolean

/**
 * Returns whose output is meant by `[ENV/]APP[/SERVICE[/CONTAINER]]`. If the first name is that of an environment and of
 * an application, the one counts below which there is something of the other names, and first the environment. As long as
 * a site has not said what it has, both count, for that may be there (G17). A sandbox, which only holds what others share,
 * is meant if its name is given. Fails with `wrong-usage`, and names what was probably meant.
 * @param all everything that is known
 * @param usual the environment that is meant if none is written
 * @param isWhole whether all sites said what they have
 */
export function readAddress(
  all: readonly Logged[],
  written: string,
  usual?: string,
  isWhole = true,
): IsMeant {
  const names = written.split('/')
  if (names.length > 4 || names.includes(''))
    throw new Failure(
      'wrong-usage',
      `"${written}" is not of the form [ENVIRONMENT/]APPLICATION[/SERVICE[/CONTAINER]]`,
    )
  return isWhole ? amongAll(all, names, usual) : amongSome(all, names, usual)
}

function amongAll(all: readonly Logged[], names: readonly string[], usual: string | undefined): IsMeant {
  const [first = '', ...others] = names
  const known = environmentsOf(all)
  const named = others.length === 0 ? undefined : calledOf(all, first)
  const own = usual === undefined ? onlyOf(known) : (calledOf(all, usual) ?? usual)
  const readings = [
    ...(named === undefined ? [] : [addressIn(named, others)]),
    ...(own === undefined || names.length > 3 ? [] : [addressIn(own, names)]),
  ]
  const meant = readings.find(address => all.some(one => isMeantBy(address, one))) ?? readings[0]
  if (meant !== undefined) {
    const address = checked(all, meant)
    return one => isMeantBy(address, one)
  }
  if (known.length === 0) throw new Failure('wrong-usage', 'no site has a container of Tallyman')
  if (others.length > 0) throw unknownName('environment', first, known)
  throw severalKnown(known, first)
}

/** Names of which nothing is known yet may be those of something that a silent site has. */
function amongSome(all: readonly Logged[], names: readonly string[], usual: string | undefined): IsMeant {
  const [first = '', ...others] = names
  const known = environmentsOf(all)
  if (usual === undefined && others.length === 0 && known.length > 1) throw severalKnown(known, first)
  const hasNames = (one: Logged, given: readonly string[]) =>
    isMeantBy(addressIn(one.environment, given), one)
  const isFirst = calling(all, first)
  const inNamed: IsMeant = one => others.length > 0 && isFirst(one) && hasNames(one, others)
  if (all.some(inNamed)) return inNamed
  const isUsual = usual === undefined ? inOnly(all, one => hasNames(one, names)) : calling(all, usual)
  return one => inNamed(one) || (names.length < 4 && isUsual(one) && hasNames(one, names))
}

/** Returns whether something is in the environment that a person calls so. */
function calling(all: readonly Logged[], written: string): IsMeant {
  const known = calledOf(all, written)
  return one => (known === undefined ? isCalled(one, written) : one.environment === known)
}

/** Returns whether something is in the only environment, which is the one that has what is meant, if one does. */
function inOnly(all: readonly Logged[], isThere: IsMeant): IsMeant {
  const known = environmentsOf(all)
  return one => known.length < 2 && (!all.some(isThere) || known.includes(one.environment))
}

function environmentsOf(all: readonly Logged[]): readonly string[] {
  return [...new Set(all.map(({ environment }) => environment))].sort()
}

function severalKnown(known: readonly string[], application: string): Failure {
  const choices = known.map(environment => `${environment}/${application}`).join(', ')
  return new Failure('wrong-usage', `several environments are known; name one: ${choices}`)
}

/** Names below an environment; absent: that of all. */
type LogAddress = {
  readonly environment: string
  readonly application: string
  readonly service?: string
  readonly container?: string
}

function isMeantBy(address: LogAddress, one: Logged): boolean {
  return (
    one.environment === address.environment &&
    one.application === address.application &&
    (address.service === undefined || one.service === address.service) &&
    (address.container === undefined ? one.role !== 'sandbox' : one.container === address.container)
  )
}

function addressIn(
  environment: string,
  [application = '', service, container]: readonly string[],
): LogAddress {
  return {
    environment,
    application,
    ...(service === undefined ? {} : { service }),
    ...(container === undefined ? {} : { container }),
  }
}

/** Returns the name on engines of an environment that a person calls by its name or its directory. */
function calledOf(all: readonly Logged[], written: string): string | undefined {
  if (all.some(({ environment }) => environment === written)) return written
  return onlyOf(environmentsOf(all.filter(one => isCalled(one, written))))
}

function isCalled({ environment, directory }: Logged, written: string): boolean {
  if (environment === written) return true
  return directory !== undefined && isMeant({ name: posix.basename(directory), directory }, written)
}

function onlyOf(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined
}

/** Fails with `wrong-usage` at the first name that nothing has. */
function checked(all: readonly Logged[], address: LogAddress): LogAddress {
  const { environment, application, service, container } = address
  const inEnvironment = all.filter(one => one.environment === environment)
  if (inEnvironment.length === 0)
    throw unknownName(
      'environment with containers',
      environment,
      all.map(one => one.environment),
    )
  const ofApplication = inEnvironment.filter(one => one.application === application)
  if (ofApplication.length === 0)
    throw unknownName(
      'application with containers',
      application,
      inEnvironment.map(one => one.application),
    )
  const ofService = ofApplication.filter(one => service === undefined || one.service === service)
  if (ofService.length === 0)
    throw unknownName(
      `service of ${application} with containers`,
      service ?? '',
      ofApplication.map(one => one.service),
    )
  if (container !== undefined && !ofService.some(one => one.container === container))
    throw unknownName(
      `container of ${application}/${service}`,
      container,
      ofService.map(one => one.container),
    )
  return address
}
