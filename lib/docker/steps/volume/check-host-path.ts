import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { Failure } from '../../../errors.ts'
import type { Provenance } from '../../../plan/step/container-place.ts'
import type { StepOf } from '../../../plan/step/step.ts'
import { directoryAround, isWithin } from '../../../text/in-directory.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { statOf } from '../../container/files/path-stat.ts'
import { probed } from '../../container/files/probe-container.ts'

type CheckHostPath = StepOf<'check-host-path'>

/** Where the allowed directory is mounted in the container that is never started. */
const target = '/.tallyman-check'

/**
 * Checks each directory on the way through the engine that will mount it, so that it does not matter where the engine
 * is. A volume that exists stays as it was made, so that it may bind another path than is wanted. Fails with
 * `policy-violation` at a symlink, and where that path is not in the allowed directory, and with `mount-refused` if there
 * is nothing.
 */
export async function checkHostPath(
  client: Client,
  step: CheckHostPath,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const { image, volume, allowed = [] } = step
  const path = (volume && (await boundBy(client, volume, signal))) ?? step.path
  const within = path === step.path ? step.within : directoryAround(path, allowed)
  if (within === undefined)
    throw new Failure(
      'policy-violation',
      `${client.site}: volume ${volume} exists, and binds ${path} of the host, which "policy.hostMounts" does not allow`,
      { resource: path, hint: otherPathHint },
    )
  if (path === within) return
  const hash = createHash('sha256').update(`${provenance.environment} ${path}`).digest('hex').slice(0, 8)
  // Several applications may mount the same directory, and the name is given only once.
  const name = `${provenance.environment}.check.${hash}`
  const mounts = [{ Type: 'bind', Source: within, Target: target, ReadOnly: true }]
  const look = async () => {
    for (const part of partsOf(path, within)) {
      const found = await statOf(client, name, posix.join(target, part), signal)
      const where = `${client.site}: ${posix.join(within, part)}`
      if (found === undefined)
        throw new Failure('mount-refused', `${where}: there is no such path on the host`, { resource: path })
      if (found.linkTarget !== '')
        throw new Failure(
          'policy-violation',
          `${where} is a symlink to ${onHost(found.linkTarget, within)}; a mount must not lead out of ${within}, which is allowed`,
          { resource: path, hint: symlinkHint },
        )
    }
  }
  await probed(client, { name, image, mounts, resource: path }, provenance, look, signal)
}

/** Returns the path of the host that an existing volume binds; undefined: there is none, or it binds none. */
async function boundBy(client: Client, volume: string, signal: AbortSignal): Promise<string | undefined> {
  type Made = { readonly Options?: Readonly<Record<string, string>> | null }
  const answer = await client.call<Made>({ method: 'GET', path: `/volumes/${volume}` }, signal)
  if (answer.ok) {
    const device = answer.body.Options?.['device']
    return device?.startsWith('/') ? posix.resolve(device) : undefined
  }
  if (answer.status === 404) return undefined
  throw refused(client.site, `volume ${volume}`, answer)
}

const otherPathHint =
  'Remove the volume, if nothing in it is needed, or write the "driver_opts" with which it was made. Then run "tallyman retry".'

const symlinkHint =
  'Mount the path that the symlink leads to, if the operator allows it under "policy" in tallyman.yaml, or replace the symlink with a directory and run "tallyman retry".'

/** The engine resolves a relative link below the place where the directory is mounted to look into it. */
function onHost(link: string, within: string): string {
  return isWithin(link, target) ? posix.join(within, posix.relative(target, link)) : link
}

/** Returns `a`, `a/b`, `a/b/c`. */
function partsOf(path: string, within: string): readonly string[] {
  const names = posix.relative(within, path).split('/')
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}
