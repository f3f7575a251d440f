import type { File } from '../../../state/application/container/container.ts'
import type { Parsed } from '../../../state/parsed.ts'
import type { Mount } from '../../application.gen.ts'
import { parseId } from '../../grammar/id.ts'
import { parseMode } from '../../grammar/tmpfs.ts'
import { present } from '../../present.ts'
import type { Spot } from '../../spot.ts'

/** The owner and the permissions of a file, as far as they are given. */
export type Rights = Partial<Pick<File, 'mode' | 'uid' | 'gid'>>

type Written = Pick<Mount, (typeof keys)[number]>

const keys = ['mode', 'uid', 'gid'] as const

/** Reads `mode` in octal, and `uid` and `gid` by number, as in Compose's long syntax of secrets and configs. */
export function readRights(written: Written, spot: Spot): Rights {
  const read = <T>(key: keyof Written, parse: (text: string) => Parsed<T>) => {
    const value = written[key]
    return value === undefined ? undefined : spot.at(key).take(parse(spot.at(key).text(value)))
  }
  return present({
    mode: read('mode', parseMode),
    uid: read('uid', parseId),
    gid: read('gid', parseId),
  })
}

/** Notes a fault if they are given for something that is not a written file, because that keeps its permissions. */
export function faultRights(written: Written, spot: Spot): void {
  for (const key of keys)
    if (written[key] !== undefined) spot.at(key).fault('is for config-map, vault-secret and secret volumes')
}
