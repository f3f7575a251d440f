import { expect } from 'chai'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import { desired, live } from '../../../support/builders/builders.ts'
import { onlyChange, planOf } from '../../../support/builders/planning.ts'

const plain = desired({ exclusiveVolume: 'data' })
const driverOptions = { type: 'nfs', o: 'addr=10.0.0.1', device: ':/data' }
const share = desired({ exclusiveVolume: 'data', made: { driverOptions } })

/** The repair of what an earlier version of the journal knows as applied, and of which nothing is left. */
function repairOf(wanted: DesiredState, volumes: readonly string[] = []) {
  const lost = { ...live(wanted), containers: [] }
  const { cause, reason, otherVolumes } = onlyChange(
    planOf({ desired: wanted, live: lost, applied: wanted, volumes }),
  )
  return { cause, reason, otherVolumes }
}

describe('a repair of something whose volumes were made before it was recorded how', () => {
  it('D4 D9 G23 says of a volume with options that nobody may have approved it so', () => {
    expect(repairOf(share)).to.deep.equal({
      cause: 'drifted',
      reason: 'instances missing; made otherwise than before: volume data',
      otherVolumes: ['data'],
    })
  })

  it('D4 D9 says nothing of a plain one, nor of one that is still there', () => {
    const asBefore = { cause: 'drifted', reason: 'instances missing', otherVolumes: undefined }
    expect(repairOf(plain)).to.deep.equal(asBefore)
    expect(repairOf(share, ['data'])).to.deep.equal(asBefore)
  })
})
