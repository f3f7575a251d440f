import type { RegistryAddress } from '../../support/images/registry.ts'
import { needPrograms } from '../../support/suite/programs.ts'
import type { Row } from '../report/table.ts'
import type { Surroundings } from '../tallyman.ts'
import { measureRollouts } from './ingress-rollouts.ts'
import { measureRoutes } from './ingress-routes.ts'
import { measureThroughput } from './ingress-throughput.ts'

export type IngressInput = Surroundings & {
  readonly registry: RegistryAddress
  readonly rounds: number
  /** Of an ingress of which one changes; a fifth of them stand beside a rollout. */
  readonly routes: number
  /** In a row, under load. */
  readonly rollouts: number
  readonly say: (line: string) => void
}

/** What users notice of rollouts, what the ingress costs each request, and what many routes cost. */
export async function measureIngress(input: IngressInput): Promise<readonly Row[]> {
  await needPrograms(['caddy', 'nginx', 'wrk'])
  return [
    ...(await measureRollouts(input)),
    ...(await measureThroughput(input)),
    ...(await measureRoutes(input)),
  ]
}
