import { Failure } from '../../../errors.ts'
import { commands, startMs } from '../../../ingress/container/commands.ts'
import { files } from '../../../ingress/container/files.ts'
import { isNotThere, isOlder, keyLines, refusalIn } from '../../../ingress/container/replies.ts'
import type { Provenance } from '../../../plan/step/container-place.ts'
import type { StepOf } from '../../../plan/step/step.ts'
import { baseName, loadedName } from '../../../state/running/loaded.ts'
import type { Text } from '../../../state/secret/secret.ts'
import { reveal } from '../../../state/secret/text.ts'
import type { Redact } from '../../../text/redaction/redact.ts'
import { secondsText } from '../../../text/time.ts'
import { poll } from '../../../wait/poll.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { writeFiles } from '../../container/files/write-files.ts'
import { excerpt } from '../../container/output/excerpt.ts'
import type { Ran } from '../../container/output/exec.ts'
import { hasAnswered, type Ingress, ingressContainers, runIn } from '../../ingress/ingress-container.ts'

type LoadRoutes = StepOf<'load-routes'>

/**
 * Makes the running ingress load a configuration, makes it start with that from now on, and renames its container with
 * the mark. A container with that name has done all of this already. The operator's own ingress is not renamed: the
 * configuration contains its mark. Fails with `container-missing`, and with `routes-refused` in the words of the
 * routing, which then keeps what it had.
 */
export async function loadRoutes(
  client: Client,
  { container, routing }: LoadRoutes,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const ingress = await find(client, container, provenance, signal)
  const wanted = loadedName(container, routing.mark)
  if (ingress.engineName === wanted) return
  const { newer, older } = routing.configuration
  const configuration = isOlder(await versionOf(client, ingress, signal)) ? older : newer
  await write(client, ingress, files.next, configuration, signal)
  const ran = await reloadOnce(client, ingress, signal)
  if (ran.exitCode !== 0) {
    const message = `${client.site}: ${ingress.engineName}: ${reasonOf(client, ran, configuration)}`
    throw new Failure('routes-refused', message, { resource: ingress.engineName })
  }
  await write(client, ingress, files.current, configuration, signal)
  if (routing.runBy === 'operator') return
  const answer = await client.call(
    { method: 'POST', path: `/containers/${ingress.id}/rename`, query: { name: wanted } },
    signal,
  )
  if (!answer.ok) throw refused(client.site, wanted, answer)
}

/** Returns the container, whatever it has loaded, because a crash may have come after it was renamed. */
async function find(
  client: Client,
  container: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Ingress> {
  const base = baseName(container)
  const all = await ingressContainers(client, provenance, signal)
  const ingress = all.find(({ engineName }) => baseName(engineName) === base)
  if (ingress !== undefined) return ingress
  throw new Failure('container-missing', `${client.site}: ${base}: it is gone`, { resource: base })
}

async function versionOf(client: Client, ingress: Ingress, signal: AbortSignal): Promise<string> {
  const known = client.versions.get(ingress.id)
  if (known !== undefined) return known
  const ran = await runIn(client, ingress, commands.version, signal)
  if (hasAnswered(ran)) client.versions.set(ingress.id, ran.output)
  return ran.output
}

/** A container that was only just started may not listen yet. */
async function reloadOnce(client: Client, ingress: Ingress, signal: AbortSignal): Promise<Ran> {
  let last: Ran = { output: '' }
  const tried = async () => {
    last = await runIn(client, ingress, commands.reload, signal)
    return isNotThere(last) ? undefined : last
  }
  return (await poll(`${client.site}: ${ingress.engineName}`, tried, startMs, signal)) ?? last
}

/** The file is readable for every user, because nobody but the proxy is in the container. */
async function write(
  client: Client,
  { id }: Ingress,
  path: string,
  content: Text,
  signal: AbortSignal,
): Promise<void> {
  await writeFiles(client, id, { files: [{ path, content, mode: 0o644 }] }, signal)
}

function reasonOf({ redact }: Client, { exitCode, output }: Ran, configuration: Text): string {
  if (exitCode === undefined) return `its proxy did not answer within ${secondsText(commands.reload.limitMs)}`
  return loadRefusal(output, reveal(configuration), redact) || `loading it ended with exit code ${exitCode}`
}

/** Returns why a configuration was refused, from the output of the command, without keys and certificates (G16). */
export function loadRefusal(output: string, configuration: string, redact: Redact): string {
  const hide = (text: string) => redact(text, keyLines(configuration))
  return refusalIn(excerpt(output, hide, { lines: 1, characters: 1_000 })).slice(0, 500)
}
