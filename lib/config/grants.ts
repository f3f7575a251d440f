import type { TallymanConfiguration as File } from '../config.gen.ts'
import { pointerTo } from '../document/document.ts'
import { parsePorts } from '../spec/grammar/port.ts'
import { parseRequestHost } from '../spec/grammar/request-host.ts'
import type { Grant, PortRange } from '../spec/policy/fence.ts'
import { malformed, type Parsed, parsed } from '../state/parsed.ts'
import type { NoteFault } from './listeners.ts'

type Written = NonNullable<NonNullable<File['policy']>['applications']>

/** Reads `policy.applications` as the schema allows it, with hosts and ports in their one form. */
export function readGrants(written: Written = {}, fault: NoteFault): readonly Grant[] {
  return Object.entries(written).map(([key, { hosts, secrets, ports }]) => {
    const pointer = pointerTo('/policy/applications', key)
    const read = <From, To>(kind: string, list: readonly From[], parse: (one: From) => Parsed<To>) =>
      list.flatMap((one, index) => {
        const value = parse(one)
        if (value.ok) return [value.value]
        fault(`${pointer}/${kind}/${index}`, value.reason)
        return []
      })
    return {
      ...whose(key, pointer, fault),
      ...(hosts === undefined ? {} : { hosts: read('hosts', hosts, parseHost) }),
      ...(secrets === undefined ? {} : { secrets }),
      ...(ports === undefined ? {} : { ports: read('ports', ports, parseRange) }),
    }
  })
}

/** Reads `shop`, `prod/shop`, `prod/*` or `*`. */
function whose(key: string, pointer: string, fault: NoteFault): Pick<Grant, 'environment' | 'application'> {
  const [, environment = '*', application = ''] = keyPattern.exec(key) ?? []
  if (application === '')
    fault(
      pointer,
      `"${key}" is neither an application nor an environment and an application; write for example shop, prod/shop or "*"`,
    )
  return { environment, application }
}

const name = String.raw`\*|[a-zA-Z0-9][a-zA-Z0-9_.-]*`
const keyPattern = new RegExp(`^(?:(${name})/)?(${name})$`)

function parseHost(text: string): Parsed<string> {
  return text === '*' ? parsed(text) : parseRequestHost(text)
}

/** Reads `8080`, `8000-8010` or `53/udp`; `*` is every port, also one that the engine chooses. */
function parseRange(written: string | number): Parsed<PortRange> {
  const text = String(written)
  if (text === '*') return parsed({ first: 0, last: 65_535 })
  const ports = /^\d{1,5}(-\d{1,5})?(\/[a-z]+)?$/.test(text) ? parsePorts(text) : undefined
  if (ports === undefined)
    return malformed(`"${text}" is no port of the host; write for example 8080, 8000-8010, 53/udp or "*"`)
  if (!ports.ok) return ports
  const [first] = ports.value
  const last = ports.value.at(-1)
  return first === undefined || last === undefined
    ? malformed(`"${text}" is no port of the host`)
    : parsed({ first: first.target, last: last.target, protocol: first.protocol })
}
