import type { Text } from '../../state/secret/secret.ts'
import type { Pallet } from '../application.gen.ts'
import { parseDomain } from '../grammar/domain.ts'
import { isPresent } from '../present.ts'
import type { Spot } from '../spot.ts'

/** Returns what an instance is told about its site, its environment and its number of workers (P20, P21). */
export function readSite(written: Pallet, environment: string, spot: Spot): Readonly<Record<string, Text>> {
  const { protocol = 'http', devname, webConcurrency, workerConcurrency } = written
  const kind = kindOf(written, environment, spot)
  if (kind === 'dev_local' && devname === undefined)
    spot.fault('needs a devname, because its environment is dev_local')
  return {
    SITE_PROTOCOL: protocol,
    SITE_DOMAIN: readDomains(written.domain, spot.at('domain')).join('|'),
    ...(kind === undefined ? {} : { ENVIRONMENT: kind }),
    ...(devname === undefined ? {} : { DEVNAME: devname }),
    ...(webConcurrency === undefined ? {} : { WEB_CONCURRENCY: String(webConcurrency) }),
    ...(workerConcurrency === undefined ? {} : { WORKER_CONCURRENCY: String(workerConcurrency) }),
  }
}

/** Whether the contract knows such an `ENVIRONMENT`. The set is closed. */
export function isKind(text: string): boolean {
  return kinds.includes(text)
}

const kinds: readonly string[] = ['dev_local', 'dev', 'test', 'uat', 'staging', 'prod']

function kindOf(written: Pallet, environment: string, spot: Spot): string | undefined {
  if (written.environment !== undefined) return written.environment
  if (isKind(environment)) return environment
  spot.fault(`needs an environment: "${environment}" is none of ${kinds.join(', ')}`)
  return undefined
}

/** The first domain is the canonical one (P27). */
function readDomains(written: string | readonly string[], spot: Spot): readonly string[] {
  if (typeof written === 'string')
    return written
      .split('|')
      .map(text => spot.take(parseDomain(text)))
      .filter(isPresent)
  return written.map((text, index) => spot.at(index).take(parseDomain(text))).filter(isPresent)
}
