import type { ServiceEntry } from '../../state/application/service-entry.ts'
import { buildPod } from '../pod/build.ts'
import type { Specification } from '../specification/specification.ts'
import { type Built, buildApplication } from './build.ts'
import type { BuildContext } from './context.ts'

/** A specification that can be built from: an application specification or a pod manifest. */
export type Usable = Extract<Specification, { state: 'valid' }>

/** Builds an application from what describes it, whatever that is. Finds all problems at once. */
export function buildSpecification(
  specification: Usable,
  entry: ServiceEntry | undefined,
  context: BuildContext,
): Built {
  return specification.kind === 'pod'
    ? buildPod(specification, entry, context)
    : buildApplication(specification, entry, context)
}
