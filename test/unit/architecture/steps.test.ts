import { expect } from 'chai'
import { sources } from '../../support/files/sources.ts'

/** Who tells steps apart by name, and why. */
const allowed: Readonly<Record<string, string>> = {
  'lib/plan/step/step.ts': 'finds the steps of one name',
  'lib/plan/step/describe.ts': 'puts each into words',
  'lib/plan/change/keep-failed.ts': 'puts one in the place of another',
  'lib/plan/step/making.ts': 'reads the name of what one makes',
  'lib/plan/step/run-of-job.ts': 'finds the runs of jobs of a rollout',
  'lib/plan/step/traits.ts': 'says of one when it ends what serves',
  'lib/plan/change-order/until-ended.ts': 'has one wait for more',
  'lib/plan/change/carried-out.ts': 'reads what one is about',
  'lib/reconcile/site/apply/deploys.ts': 'finds the waits for what ran before',
  'lib/reconcile/site/apply/place-of-image.ts': 'names the place of what one looks at',
}

describe('what a step is', () => {
  it('stands in one place, so that a new step needs no search for the code that tells steps apart', () => {
    const names = /\b(\w+|\))\.do (===|!==) |switch \(\w+\.do\)|includes\(\w+\.do\)|: readonly StepName\[\]/
    const telling = sources.filter(({ text }) => names.test(text)).map(({ path }) => path)
    expect(telling).to.have.members(Object.keys(allowed))
  })
})
