import { expect } from 'chai'
import { printed } from '../../../lib/cli/output/printed.ts'
import { deploymentDetail } from '../../../lib/cli/text/deployment-text.ts'
import { logLines, showLines } from '../../../lib/cli/text/log-text.ts'
import { statusLines } from '../../../lib/cli/text/status/status-text.ts'
import { catalogue } from '../../../lib/errors/catalogue.ts'
import type { LogEntry, PassRecord } from '../../../lib/journal/history/history.ts'
import type { Plan } from '../../../lib/plan/change/change.ts'
import { planJson } from '../../../lib/plan/text/json.ts'
import type { Line } from '../../../lib/plan/text/line.ts'
import { renderPlan } from '../../../lib/plan/text/render.ts'
import type { StatusDocument } from '../../../lib/reconcile/status/status-document.ts'
import { readText } from '../../docs/documents.ts'

/** What the commands print now of the values that the tour has kept (if a test fails: node test/docs/tour.ts). */
describe('the screens of the README', () => {
  for (const name of ['status', 'broken'])
    it(`docs/tour/${name}.txt is what "tallyman status" prints`, () => {
      const environments: readonly StatusDocument[] = shownIn(name)
      expect(screenOf(environments.flatMap(one => statusLines(one, 0)))).to.equal(screen(name))
    })

  for (const name of ['first-plan', 'plan'])
    it(`docs/tour/${name}.txt is what "tallyman plan" prints`, () => {
      expect(screenOf(renderPlan(planOf(name)))).to.equal(screen(name))
    })

  it('docs/tour/plan.json is what "tallyman plan --output json" prints', () => {
    expect(JSON.parse(readText('docs/tour/plan.json'))).to.deep.include(
      JSON.parse(JSON.stringify(planJson(planOf('plan'), true, 'OutOfSync'))),
    )
  })

  it('docs/tour/log.txt is what "tallyman log" prints', () => {
    const entries: readonly LogEntry[] = shownIn('log')
    expect(screenOf(entries.flatMap(logLines))).to.equal(screen('log'))
  })

  it('docs/tour/show.txt is what "tallyman show" prints', () => {
    const record: PassRecord = shownIn('show')
    expect(screenOf(showLines(record))).to.equal(screen('show'))
  })

  it('the hint of docs/tour/broken.txt is that of the catalogue', () => {
    expect(screen('broken')).to.include(`    hint: ${catalogue.quarantined.hint}\n`)
  })
})

/** The same of the walk through four engines (if a test fails, as root: node test/docs/fleet.ts). */
describe('the screens of docs/deployments.md', () => {
  for (const name of ['fleet-canary-status', 'fleet-others-status', 'fleet-reverted-status'])
    it(`docs/tour/${name}.txt is what "tallyman status" prints`, () => {
      const environments: readonly StatusDocument[] = shownIn(name)
      expect(screenOf(environments.flatMap(one => statusLines(one, 0)))).to.equal(screen(name))
    })

  for (const name of ['fleet-canary-deployment', 'fleet-others-deployment', 'fleet-bad-deployment'])
    it(`docs/tour/${name}.txt is what "tallyman deployment" prints`, () => {
      const deployments: Parameters<typeof deploymentDetail>[0][] = shownIn(name)
      const lines = deployments.flatMap(one => deploymentDetail(one, false))
      expect(screenOf(lines)).to.equal(screen(name))
    })
})

function planOf(name: string): Plan {
  const { plan }: PassRecord = shownIn(name)
  if (plan === undefined) throw new Error(`docs/tour/values/${name}.json has no plan`)
  return plan
}

function shownIn(name: string) {
  return JSON.parse(readText(`docs/tour/values/${name}.json`))
}

function screen(name: string): string {
  return readText(`docs/tour/${name}.txt`).trimEnd().replace(/$/, '\n')
}

function screenOf(lines: readonly Line[]): string {
  return `${printed(lines, false).trimEnd()}\n`
}
