import { printed } from '../../../../lib/cli/output/printed.ts'
import { statusLines } from '../../../../lib/cli/text/status/status-text.ts'
import type { StatusDocument } from '../../../../lib/reconcile/status/status-document.ts'

/** The status of an environment in which nothing is. */
export const nothing: StatusDocument = {
  ...{ environment: 'prod', daemon: true, sync: 'OutOfSync', suspensions: [], errors: [], applications: [] },
  ...{ ingress: [], engines: [] },
}

/** The lines of a status after the first one that say something. */
export function linesOf(parts: Partial<StatusDocument>): readonly string[] {
  return printed(statusLines({ ...nothing, ...parts }, 0), false)
    .split('\n')
    .slice(1)
    .filter(line => line !== '')
}
