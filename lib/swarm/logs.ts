import type { Client } from '../docker/api/client.ts'
import { hiding } from '../docker/container/output/excerpt.ts'
import { engineLines } from '../docker/logs/read-log.ts'
import { holderOf } from '../state/identity.ts'
import { label, labelOf } from '../state/labels.ts'
import { jobRoleIn } from '../state/running/job-container.ts'
import type { Logged, LogLine, LogSpan } from '../state/running/logged.ts'
import { askFor } from './api/asked.ts'
import type { Task, ToldService } from './api/service.ts'
import { servicesBy } from './api/services.ts'
import { tasksBy } from './api/tasks.ts'
import { variablesOf } from './service/task-record.ts'

/** Returns the tasks of all environments, also those that have ended and are still known, with two list calls. */
export async function listTasks(client: Client, signal: AbortSignal): Promise<readonly Logged[]> {
  const filters = { label: [label.environment] }
  const [services, tasks] = await Promise.all([
    servicesBy(client, filters, signal),
    tasksBy(client, filters, signal),
  ])
  const byId = new Map(services.map(service => [service.ID, service]))
  return tasks.flatMap(task => loggedOf(task, byId.get(task.ServiceID)) ?? [])
}

/** A task that was never started has written nothing. */
function loggedOf({ ID, Slot, Status }: Task, service: ToldService | undefined): Logged | undefined {
  const labels = service?.Spec.Labels
  const holder = holderOf(labels)
  const [application, of] = [labelOf(labels, label.application), labelOf(labels, label.service)]
  const container = labelOf(labels, label.container)
  const isStarted = Status.ContainerStatus !== undefined
  if (service === undefined || holder === undefined || !application || !of || !container || !isStarted)
    return undefined
  return {
    ...holder,
    id: ID,
    engineName: `${service.Spec.Name}.${Slot ?? 1}.${ID}`,
    ...{
      application,
      service: of,
      instance: Slot ?? 1,
      container,
      role: jobRoleIn(labelOf(labels, label.role)) ?? 'app',
    },
    state: Status.State === 'running' ? ('running' as const) : ('exited' as const),
  }
}

/** How long a node may take to tell what a task wrote, in ms. One that is lost never does. */
const beginsWithinMs = 10_000

/** Yields the lines that a task wrote, wherever it ran, as `Engine.log` says. */
export async function* logOfTask(
  client: Client,
  task: string,
  span: LogSpan,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const told = await askFor<Task>(client, `task ${task}`, { method: 'GET', path: `/tasks/${task}` }, signal)
  const spec = told.Spec.ContainerSpec
  const hide = hiding(client.redact, variablesOf(spec))
  const log = {
    path: `/tasks/${task}/logs`,
    name: `task ${task}`,
    driver: '',
    beginsWithinMs,
    hasTerminal: spec?.['TTY'] === true,
    hide,
  }
  yield* engineLines(client, log, span, signal)
}
