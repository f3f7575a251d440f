import { posix } from 'node:path'
import type { Device } from '../../state/application/container/container.ts'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** Parses `/dev/HOST[:/dev/CONTAINER][:rwm]`. */
export function parseDevice(text: string): Parsed<Device> {
  const [, host, container, permissions = 'rwm'] = syntax.exec(text) ?? []
  if (host === undefined)
    return malformed(`"${text}" is no device; write for example /dev/ttyUSB0:/dev/ttyUSB0:rw`)
  const paths = [host, container ?? host].map(path => posix.normalize(path))
  if (!paths.every(path => path.startsWith('/dev/'))) return malformed(`"${text}" leads out of /dev`)
  const [from = host, to = host] = paths
  return parsed({ host: from, container: to, permissions: inOrder(permissions) })
}

const syntax = /^(\/[^:\0]+)(?::(\/[^:\0]+))?(?::([rwm]{1,3}))?$/

function inOrder(permissions: string): string {
  return [...'rwm'].filter(letter => permissions.includes(letter)).join('')
}
