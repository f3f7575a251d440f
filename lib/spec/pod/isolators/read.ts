import { isRecord } from '../../../object.ts'
import type { SystemCallFilter } from '../../../state/application/container/container.ts'
import { parseCapability } from '../../grammar/capability.ts'
import { isParameterName, isParameterValue } from '../../kernel-parameters.ts'
import { present } from '../../present.ts'
import type { Spot } from '../../spot.ts'
import { errorNumber } from '../grammar/error-number.ts'
import { parseQuantity, type Quantity } from '../grammar/quantity.ts'
import type { Isolator, NamedIsolator } from './isolator.ts'
import { shareBounds } from './shares.ts'
import { systemCallsOf } from './system-calls.ts'

type Written = { readonly name: string; readonly value?: unknown }

/** What an isolator is read with. `warn` receives what is left out of it. */
type Reader = (value: unknown, spot: Spot, warn: Spot) => Isolator | undefined

/**
 * Reads a list of isolators (C40). Those of unknown names are accepted, because the specification allows to ignore
 * them; what becomes of each is told in the plan.
 */
export function readIsolators(written: readonly Written[], spot: Spot, warn: Spot): readonly NamedIsolator[] {
  const isolators = written.flatMap(({ name, value }, index) => {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (read === undefined) return [{ name, index, isolator: unsupported('it is not known') }]
    const isolator = read(value, spot.at(index, 'value'), warn.at(index, 'value'))
    return isolator === undefined ? [] : [{ name, index, isolator }]
  })
  faultTogether(written, spot)
  return isolators
}

const readers: Readonly<Record<string, Reader>> = {
  'resource/memory': readResource('memory'),
  'resource/cpu': readResource('cpu'),
  'resource/block-bandwidth': readDefault(
    'Docker limits each device by itself, and the manifest names none of them',
  ),
  'resource/block-iops': readDefault(
    'Docker limits each device by itself, and the manifest names none of them',
  ),
  'resource/network-bandwidth': readDefault('Docker does not limit what goes over networks'),
  'os/linux/capabilities-retain-set': readCapabilities('retain-capabilities'),
  'os/linux/capabilities-remove-set': readCapabilities('remove-capabilities'),
  'os/linux/no-new-privileges': (value, spot) => {
    if (typeof value === 'boolean') return { kind: 'no-new-privileges', isOn: value }
    spot.fault('must be true or false')
    return undefined
  },
  'os/linux/cpu-shares': readNumber('cpu-shares', shareBounds.least, shareBounds.most),
  'os/linux/oom-score-adj': readNumber('oom-score-adj', -1000, 1000),
  'os/linux/apparmor-profile': (value, spot) => {
    const profile = readText(value, 'profile', spot)
    return profile === undefined ? undefined : { kind: 'apparmor-profile', profile }
  },
  'os/linux/selinux-context': readSelinux,
  'os/linux/seccomp-retain-set': readSystemCalls('retain'),
  'os/linux/seccomp-remove-set': readSystemCalls('remove'),
  'os/unix/sysctl': (value, spot) => {
    if (!isRecord(value)) {
      spot.fault('must be an object of kernel parameters and their values')
      return undefined
    }
    for (const [key, text] of Object.entries(value)) {
      const reason = parameterFault(key, text)
      if (reason !== undefined) spot.at(key).fault(reason)
    }
    return { kind: 'sysctl', values: { ...value } as Readonly<Record<string, string>> }
  },
}

function parameterFault(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a text; put it in quotes'
  if (!isParameterName(name)) return 'is no kernel parameter; write for example net.core.somaxconn'
  return isParameterValue(value) ? undefined : 'must be one line, because the kernel takes no more'
}

/** The isolators that are known. */
export const isolatorNames: readonly string[] = Object.keys(readers)

function unsupported(why: string): Isolator {
  return { kind: 'unsupported', why }
}

/** Reads `limit` and `request`. Without a request, the limit is what is requested (C41). */
function readResource(kind: 'memory' | 'cpu'): Reader {
  return (value, spot) => {
    if (!isRecord(value)) {
      spot.fault('must be an object with "limit", "request" or both')
      return undefined
    }
    if (value['default'] === true) spot.at('default').fault('is not for this isolator')
    const limit = readQuantity(value, 'limit', spot)
    const request = readQuantity(value, 'request', spot)
    if (value['limit'] === undefined && value['request'] === undefined)
      spot.fault('needs "limit", "request" or both')
    if (limit !== undefined && request !== undefined && request.thousandths > limit.thousandths)
      spot.at('request').fault('is more than the limit')
    return {
      kind,
      ...(limit === undefined ? {} : { limit }),
      ...(request === undefined ? {} : { request }),
    }
  }
}

function readQuantity(
  value: Readonly<Record<string, unknown>>,
  key: 'limit' | 'request',
  spot: Spot,
): Quantity | undefined {
  const written = value[key]
  if (written === undefined) return undefined
  if (typeof written !== 'string' && typeof written !== 'number') {
    spot.at(key).fault('must be a quantity; write for example "1G"')
    return undefined
  }
  return spot.at(key).take(parseQuantity(spot.at(key).text(written)))
}

/** Reads an isolator that is for all devices or networks together, and therefore has no request. */
function readDefault(why: string): Reader {
  return (value, spot) => {
    if (!isRecord(value)) {
      spot.fault('must be an object with "default" and "limit"')
      return undefined
    }
    if (value['default'] !== true) spot.at('default').fault('must be true')
    if (value['request'] !== undefined) spot.at('request').fault('is not for this isolator')
    readQuantity(value, 'limit', spot)
    return unsupported(why)
  }
}

/** A capability that does not exist is nothing that anybody could keep or lose. */
function readCapabilities(kind: 'retain-capabilities' | 'remove-capabilities'): Reader {
  return (value, spot, warn) => {
    const written = readSet(value, spot)
    if (written === undefined) return undefined
    if (written.length === 0) spot.at('set').fault('must not be empty')
    const leftOut: string[] = []
    const set = written.flatMap((text, index) => {
      const capability = parseCapability(text)
      if (capability.ok && capability.value !== 'ALL') return [capability.value]
      warn.at('set', index).fault(`"${text}" is no capability, and is left out`)
      leftOut.push(text)
      return []
    })
    return { kind, set: [...new Set(set)], ...present({ leftOut }) }
  }
}

function readSystemCalls(mode: SystemCallFilter['mode']): Reader {
  return (value, spot, warn) => {
    const set = readSet(value, spot)
    if (set?.length === 0) spot.at('set').fault('must not be empty')
    const written = isRecord(value) ? (value['errno'] ?? '') : ''
    const errno = typeof written === 'string' ? errorNumber(written) : undefined
    if (written !== '' && errno === undefined)
      spot.at('errno').fault('must be the name of an error of Linux; write for example "EPERM"')
    if (set === undefined) return undefined
    const { leftOut = [], ...calls } = systemCallsOf(mode, set, errno)
    for (const text of leftOut)
      warn.at('set', set.indexOf(text)).fault(`"${text}" is no system call, and is left out`)
    return { kind: 'system-calls', ...calls, ...present({ leftOut }) }
  }
}

function readSet(value: unknown, spot: Spot): readonly string[] | undefined {
  const set = isRecord(value) ? value['set'] : undefined
  if (Array.isArray(set) && set.every(one => typeof one === 'string')) return set
  spot.fault('must be an object whose "set" is a list of names')
  return undefined
}

function readNumber(kind: 'cpu-shares' | 'oom-score-adj', least: number, most: number): Reader {
  return (value, spot) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most)
      return { kind, value }
    spot.fault(`must be a whole number from ${least} to ${most}`)
    return undefined
  }
}

function readText(value: unknown, key: string, spot: Spot): string | undefined {
  const text = isRecord(value) ? value[key] : undefined
  if (typeof text === 'string' && text !== '') return text
  spot.fault(`must be an object whose "${key}" is a text`)
  return undefined
}

const selinuxParts = ['user', 'role', 'type', 'level'] as const

/** Only the level may have colons, because they are what the kernel separates the parts by. */
function readSelinux(value: unknown, spot: Spot): Isolator | undefined {
  const texts = selinuxParts.map(part => {
    const text = readText(value, part, spot)
    if (part === 'level' || !text?.includes(':')) return text
    spot.at(part).fault('has a colon')
    return undefined
  })
  const options = selinuxParts.map((part, index) => `label=${part}:${texts[index] ?? ''}`)
  return texts.includes(undefined) ? undefined : { kind: 'selinux-context', options }
}

/** What may not stand beside each other. */
const exclusive: readonly { readonly names: readonly string[]; readonly why: string }[] = [
  {
    names: ['os/linux/capabilities-retain-set', 'os/linux/capabilities-remove-set'],
    why: 'stands beside the other set of capabilities; keep one of them',
  },
  {
    names: ['os/linux/seccomp-retain-set', 'os/linux/seccomp-remove-set'],
    why: 'stands beside the other set of system calls; keep one of them',
  },
]

/** What may be there once. */
const single: readonly string[] = [
  'os/linux/cpu-shares',
  'os/linux/oom-score-adj',
  'os/linux/seccomp-retain-set',
  'os/linux/seccomp-remove-set',
  'os/linux/selinux-context',
  'os/linux/apparmor-profile',
  'os/unix/sysctl',
]

function faultTogether(written: readonly Written[], spot: Spot): void {
  written.forEach(({ name }, index) => {
    const before = written.slice(0, index).map(one => one.name)
    if (single.includes(name) && before.includes(name))
      spot.at(index, 'name').fault(`is "${name}" a second time`)
    for (const { names, why } of exclusive)
      if (names.includes(name) && before.some(one => one !== name && names.includes(one)))
        spot.at(index, 'name').fault(why)
  })
}
