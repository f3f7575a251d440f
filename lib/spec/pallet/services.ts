import type { Text } from '../../state/secret/secret.ts'
import { changed, joined } from '../../state/secret/text.ts'
import type { PalletService } from '../application.gen.ts'
import { isPresent } from '../present.ts'
import type { Nameable } from '../read/value/dollars.ts'
import { readValue } from '../read/value/value.ts'
import type { Spot } from '../spot.ts'
import { faultAddress, faultHost, faultHostAndPort, faultHostInAddress, hostInAddress } from './address.ts'
import { isForDeploy } from './phase.ts'

type Told = Readonly<Record<string, Text>>

/**
 * Returns the variables of each service of the contract (P23). If two set the same variable, the later one counts
 * (P25).
 */
export function readServices(written: readonly PalletService[], known: Nameable, spot: Spot): Told {
  return Object.assign(
    {},
    ...written.map((service, index) => {
      const at = spot.at(index)
      faultStrangeKeys(service, at)
      return readService(service, known, at)
    }),
  )
}

type Key = Exclude<keyof PalletService, 'type'>

const keysOf: Readonly<Record<PalletService['type'], readonly Key[]>> = {
  postgres: ['name', 'url', 'deployUrl', 'host', 'port', 'user', 'password', 'database'],
  elasticsearch: ['url', 'urls', 'index'],
  memcache: ['host', 'hosts', 'prefix'],
  rabbitmq: ['url', 'urls'],
  smtp: ['host', 'port'],
  proxy: ['url'],
  syslog: ['host', 'port', 'protocol'],
}

function faultStrangeKeys(written: PalletService, spot: Spot): void {
  const { type, ...given } = written
  const known: readonly string[] = keysOf[type]
  for (const key of Object.keys(given))
    if (!known.includes(key) && !key.startsWith('x-'))
      spot.at(key).fault(`is not for ${type}, which takes ${known.join(', ')}`)
}

function readService(written: PalletService, known: Nameable, spot: Spot): Told {
  switch (written.type) {
    case 'postgres':
      return readPostgres(written, known, spot)
    case 'elasticsearch':
      return told({
        ELASTICSEARCH_URLS: readAddresses(written, ['http', 'https'], known, spot),
        ELASTICSEARCH_INDEX_NAME: readNeeded(written, 'index', known, spot),
      })
    case 'memcache':
      return told({
        MEMCACHE_HOSTS: readHosts(written, known, spot),
        MEMCACHE_PREFIX: readNeeded(written, 'prefix', known, spot),
      })
    case 'rabbitmq':
      return told({ AMQP_URLS: readAddresses(written, ['amqp', 'amqps'], known, spot) })
    case 'smtp':
      return told({
        EMAIL_HOST: readHost(written, known, spot),
        EMAIL_PORT: String(written.port ?? 25),
      })
    case 'proxy':
      return told({ HTTP_PROXY: readAddress(written, 'url', ['http', 'https'], known, spot) })
    case 'syslog': {
      const port = String(written.port ?? 514)
      return told({
        SYSLOG_SERVER: readHost(written, known, spot),
        // The contract's own text gives the port this name. Everybody else uses the names below (P24, D13).
        SYSLOG_HOST: port,
        SYSLOG_PORT: port,
        SYSLOG_PROTO: written.protocol ?? 'udp',
      })
    }
  }
}

function told(variables: Readonly<Record<string, Text | undefined>>): Told {
  const known = new Map<string, Text>()
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) known.set(name, value)
  return Object.fromEntries(known)
}

function readPostgres(written: PalletService, known: Nameable, spot: Spot): Told {
  const { name = 'default', deployUrl } = written
  const variable = `DB_${name.toUpperCase().replaceAll('-', '_')}_URL`
  if (variable === 'DB_DEPLOY_URL')
    spot.at('name').fault('is "deploy"; what deploy alone connects to stands in the deployUrl of a database')
  else if (isForDeploy(variable))
    spot
      .at('name')
      .fault(
        `makes ${variable}, and variables with DEPLOY in their names are for deploy only; choose another name`,
      )
  return told({
    [variable]: readDatabase(written, known, spot),
    DB_DEPLOY_URL:
      deployUrl === undefined ? undefined : readAddress(written, 'deployUrl', databases, known, spot),
  })
}

/** As dj-database-url spells them. */
const databases: readonly string[] = ['postgres', 'postgresql', 'pgsql', 'postgis']

function readDatabase(written: PalletService, known: Nameable, spot: Spot): Text | undefined {
  const given = databaseParts.filter(key => written[key] !== undefined)
  if (written.url !== undefined) {
    for (const key of given) spot.at(key).fault('stands beside url, which says it already')
    return readAddress(written, 'url', databases, known, spot)
  }
  if (given.length === 0) {
    spot.fault('needs a url, or a host, user, password and database')
    return undefined
  }
  const host = readHost(written, known, spot, faultHostInAddress)
  const user = readNeeded(written, 'user', known, spot)
  const password = written.password === undefined ? '' : readValue(written.password, known, spot, 'password')
  const database = readNeeded(written, 'database', known, spot)
  if (host === undefined || user === undefined || password === undefined || database === undefined)
    return undefined
  const { secrets } = known
  const server = changed(host, hostInAddress, secrets)
  const [name, word, base] = [user, password, database].map(text =>
    changed(text, encodeURIComponent, secrets),
  )
  const credentials = word === '' ? [name ?? ''] : [name ?? '', ':', word ?? '']
  return joined(
    ['postgres://', ...credentials, '@', server, `:${written.port ?? 5432}/`, base ?? ''],
    secrets,
  )
}

const databaseParts = ['host', 'port', 'user', 'password', 'database'] as const

type TextKey = 'url' | 'deployUrl' | 'host' | 'user' | 'index' | 'prefix' | 'database'

function readNeeded(written: PalletService, key: TextKey, known: Nameable, spot: Spot): Text | undefined {
  const value = written[key]
  const text = value === undefined ? '' : readValue(value, known, spot, key)
  if (text !== '') return text
  spot.fault(`needs ${key === 'index' ? 'an' : 'a'} ${key}`)
  return undefined
}

function readAddress(
  written: PalletService,
  key: 'url' | 'deployUrl',
  schemes: readonly string[],
  known: Nameable,
  spot: Spot,
): Text | undefined {
  const text = readNeeded(written, key, known, spot)
  if (text !== undefined) faultAddress(text, schemes, spot.at(key))
  return text
}

function readHost(
  written: PalletService,
  known: Nameable,
  spot: Spot,
  fault: (text: Text, spot: Spot) => void = faultHost,
): Text | undefined {
  const text = readNeeded(written, 'host', known, spot)
  if (text !== undefined) fault(text, spot.at('host'))
  return text
}

function readAddresses(
  written: PalletService,
  schemes: readonly string[],
  known: Nameable,
  spot: Spot,
): Text | undefined {
  return readList(written, 'url', 'urls', known, spot, (text, at) => faultAddress(text, schemes, at))
}

function readHosts(written: PalletService, known: Nameable, spot: Spot): Text | undefined {
  const hosts = readList(written, 'host', 'hosts', known, spot, faultHostAndPort)
  return hosts === undefined ? undefined : changed(hosts, withoutUsualPort, known.secrets)
}

/** Leaves out memcache's default port, because programs that read the variable add it. */
function withoutUsualPort(hosts: string): string {
  return hosts.replaceAll(/:11211(?=$|\|)/g, '')
}

/** Reads one entry or a list of them, joined by a pipe. A text may contain several already. */
function readList(
  written: PalletService,
  one: 'url' | 'host',
  many: 'urls' | 'hosts',
  known: Nameable,
  spot: Spot,
  fault: (text: Text, spot: Spot) => void,
): Text | undefined {
  const [single, list] = [written[one], written[many]]
  if ((single === undefined) === (list === undefined)) {
    spot.fault(`needs exactly one of ${one}, ${many}`)
    return undefined
  }
  const values = list === undefined ? [single] : list
  const [at, key] = list === undefined ? ([spot, one] as const) : ([spot.at(many), undefined] as const)
  const texts = values.filter(isPresent).map((value, index) => {
    const text = readValue(value, known, at, key ?? index)
    for (const part of typeof text === 'string' ? text.split('|') : []) fault(part, at.at(key ?? index))
    return text
  })
  const read = texts.filter(isPresent)
  if (read.length < texts.length) return undefined
  return joined(
    read.flatMap((text, index) => (index === 0 ? [text] : ['|', text])),
    known.secrets,
  )
}
