import { posix } from 'node:path'
import { Failure } from '../../errors.ts'
import { isMeant } from '../../state/identity.ts'
import type { Logged } from '../../state/running/logged.ts'
import { unknownName } from '../../text/unknown-name.ts'

/** Whose output is meant; absent: that of all. */
export type LogAddress = {
  readonly environment: string
  readonly application: string
  readonly service?: string
  readonly container?: string
}

/**
 * Whether a container is meant. A sandbox, which only holds what others share, is meant if its name is given.
 */
export function isMeantBy(address: LogAddress, one: Logged): boolean {
  return (
    one.environment === address.environment &&
    one.application === address.application &&
    (address.service === undefined || one.service === address.service) &&
    (address.container === undefined ? one.role !== 'sandbox' : one.container === address.container)
  )
}

/**
 * Reads `[ENV/]APP[/SERVICE[/CONTAINER]]`. If the first name is that of an environment and of an application, the one
 * counts below which there is something of the other names, and first the environment. Fails with `wrong-usage`, and
 * names what was probably meant.
 * @param all everything that there is
 * @param usual the environment that is meant if none is written
 * @param isWhole whether all sites said what they have; otherwise, a name that nothing has may be that of something there
 */
export function readAddress(
  all: readonly Logged[],
  written: string,
  usual?: string,
  isWhole = true,
): LogAddress {
  const names = written.split('/')
  const [first = '', ...others] = names
  if (names.length > 4 || names.includes(''))
    throw new Failure(
      'wrong-usage',
      `"${written}" is not of the form [ENVIRONMENT/]APPLICATION[/SERVICE[/CONTAINER]]`,
    )
  const known = [...new Set(all.map(({ environment }) => environment))].sort()
  const named = others.length === 0 ? undefined : calledOf(all, first)
  const own = usual === undefined ? onlyOf(known) : (calledOf(all, usual) ?? usual)
  const unseen = isWhole || named !== undefined || others.length === 0 ? [] : [addressIn(first, others)]
  const readings = [
    ...(named === undefined ? [] : [addressIn(named, others)]),
    ...(own === undefined || names.length > 3 ? [] : [addressIn(own, names)]),
    ...unseen,
  ]
  const meant = readings.find(address => all.some(one => isMeantBy(address, one))) ?? readings[0]
  if (meant !== undefined) return isWhole ? checked(all, meant) : meant
  if (known.length === 0) throw new Failure('wrong-usage', 'no site has a container of Tallyman')
  if (others.length > 0) throw unknownName('environment', first, known)
  const choices = known.map(environment => `${environment}/${first}`).join(', ')
  throw new Failure('wrong-usage', `several environments are known; name one: ${choices}`)
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
  const meant = all.filter(
    ({ directory }) =>
      directory !== undefined && isMeant({ name: posix.basename(directory), directory }, written),
  )
  return onlyOf([...new Set(meant.map(({ environment }) => environment))])
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
