import { sitesInWords, toldOnce } from '../../../plan/text/by-site.ts'
import type { Line } from '../../../plan/text/line.ts'
import type { TasksStatus } from '../../../reconcile/status/application/application-status.ts'
import type { StatusDocument } from '../../../reconcile/status/status-document.ts'
import { table } from '../../output/table.ts'

/** How many nodes of a service are named, unless all rows are shown. */
const mostNodes = 10

/**
 * Shows on which nodes of a Swarm the tasks of a service run, and how many on each. `isSummary`: what reads the same on
 * several sites is told once; `every`: all nodes are named, however many there are (G13).
 */
export function taskTable(
  applications: StatusDocument['applications'],
  isSummary: boolean,
  every: boolean,
): readonly Line[] {
  const nameOf = namesOfNodes(applications)
  const services = applications.flatMap(({ application, site, tasks = [] }) =>
    [...Map.groupBy(tasks, ({ service }) => service)].map(([service, on]) => ({
      application,
      site,
      service,
      on,
    })),
  )
  const row = ({ application, site, service, on }: (typeof services)[number]): readonly string[] => [
    application === service ? application : `${application}/${service}`,
    site,
    nodesText(
      on.map(({ running, ...one }) => `${nameOf(site, one)} (${running})`),
      every ? on.length : mostNodes,
    ),
  ]
  const rows = isSummary ? toldOnce(services, row, sitesInWords) : services.map(row)
  return rows.length === 0 ? [] : table(['tasks of', 'site', 'on nodes'], rows)
}

type NodeOf = Pick<TasksStatus, 'node' | 'id'>

/** Returns what tells nodes apart: the name, and the beginning of the id as well where several of a site have that name. */
function namesOfNodes(applications: StatusDocument['applications']): (site: string, one: NodeOf) => string {
  const idsOf = new Map<string, Set<string>>()
  const keyOf = (site: string, node: string) => JSON.stringify([site, node])
  for (const { site, tasks = [] } of applications)
    for (const { node, id } of tasks) {
      const key = keyOf(site, node)
      idsOf.set(key, (idsOf.get(key) ?? new Set()).add(id))
    }
  return (site, { node, id }) =>
    (idsOf.get(keyOf(site, node))?.size ?? 1) > 1 ? `${node} ${id.slice(0, shortId)}` : node
}

/** As many characters of an id as Docker takes for it. */
const shortId = 12

/** Returns `node-1 (2), node-2 (1) and 3 others`. */
function nodesText(on: readonly string[], most: number): string {
  const named = on.slice(0, most)
  const others = on.length - named.length
  return `${named.join(', ')}${others === 0 ? '' : ` and ${others} ${others === 1 ? 'other' : 'others'}`}`
}
