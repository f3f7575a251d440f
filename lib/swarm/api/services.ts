import type { Client } from '../../docker/api/client.ts'
import { askFor } from './asked.ts'
import type { ToldService } from './service.ts'

/** Returns the services that match filters, with one list call. */
export function servicesBy(
  client: Client,
  filters: Readonly<Record<string, readonly string[]>>,
  signal: AbortSignal,
): Promise<readonly ToldService[]> {
  const request = { method: 'GET', path: '/services', query: { filters } } as const
  return askFor(client, 'list of services', request, signal)
}
