import type { Approved } from '../../answers/approve.ts'
import type { Ended, Followed } from '../../reconcile/followed-approval/followed.ts'
import type { Output } from '../output/output.ts'
import { plainProgress } from '../output/progress.ts'
import type { DaemonClient } from './client.ts'

/** Reports the steps as they are done, until the pass that carries out the approval has ended. Returns its end. */
export async function followApproved(
  client: DaemonClient,
  output: Output,
  approved: Approved,
): Promise<Ended> {
  const { approved: plan, environment, from, look } = approved
  const { event } = plainProgress(output)
  let { after } = approved
  while (true) {
    const place = `/api/v1/environments/${encodeURIComponent(environment)}/progress`
    const path = `${place}?plan=${plan}&from=${from}&look=${look}&after=${after}`
    const news = (await client.get(path)) as Followed
    news.events.forEach(event)
    after = news.after
    if (news.ended !== undefined) return news.ended
  }
}
