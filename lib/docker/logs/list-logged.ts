import { holderOf } from '../../state/identity.ts'
import { label } from '../../state/labels.ts'
import type { Logged } from '../../state/running/logged.ts'
import type { Client } from '../api/client.ts'
import { listContainers } from '../observe/list-containers.ts'
import { toLiveContainer } from '../observe/live-container.ts'

/** Returns the containers of all environments on an engine, also those that ended, with one list call. */
export async function listLogged(client: Client, signal: AbortSignal): Promise<readonly Logged[]> {
  const filters = { label: [label.environment] }
  const listed = await listContainers(client, { all: 1, filters }, signal)
  return listed.flatMap(one => {
    const [live, holder] = [toLiveContainer(one), holderOf(one.Labels)]
    if (live === undefined || holder === undefined) return []
    const { id, engineName, application, service, instance, container, role, state } = live
    return [{ ...holder, id, engineName, application, service, instance, container, role, state }]
  })
}
