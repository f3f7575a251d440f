import type { Client } from './client.ts'
import { refused } from './refusal.ts'

/** What `GET /containers/{id}/json` says, as far as it is used. */
export type Inspected = {
  readonly Id: string
  readonly RestartCount: number
  readonly State: {
    readonly Status: string
    readonly ExitCode: number
    readonly StartedAt: string
    readonly OOMKilled: boolean
    readonly Error: string
    readonly Health?: {
      readonly Status: string
      readonly Log: readonly { readonly ExitCode: number; readonly Output: string }[] | null
    } | null
  }
  readonly Config: {
    readonly Labels: Readonly<Record<string, string>> | null
    readonly Env: readonly string[] | null
    readonly StopTimeout?: number | null
  }
  readonly NetworkSettings: { readonly Networks: Readonly<Record<string, unknown>> | null }
}

/** One look at a container; undefined when there is none by that name. */
export async function inspectContainer(
  client: Client,
  container: string,
  signal: AbortSignal,
): Promise<Inspected | undefined> {
  const answer = await client.call<Inspected>(
    { method: 'GET', path: `/containers/${container}/json` },
    signal,
  )
  if (answer.ok) return answer.body
  if (answer.status === 404) return undefined
  throw refused(client.site, container, answer)
}
