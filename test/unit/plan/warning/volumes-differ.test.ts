import { expect } from 'chai'
import { volumesDiffer } from '../../../../lib/plan/warning/volumes-differ.ts'
import type { Volume } from '../../../../lib/state/application/volume.ts'
import { application, service } from '../../../support/builders/builders.ts'

/** What is said of a volume `data` that was made with this driver and these options. */
function said(wanted: Partial<Volume>, driver = 'local', driverOptions = {}): readonly string[] {
  const one = service({ name: 'web' })
  const volume = { name: 'prod.web.data', application: 'web', ...wanted }
  const instances = one.instances.map(instance => ({ ...instance, volumes: [volume] }))
  const applications = [application('web', [{ ...one, instances }])]
  const made = [{ name: 'prod.web.data', driver, driverOptions }]
  return volumesDiffer('local', { applications }, { networks: [], volumes: ['prod.web.data'], made }).map(
    ({ code, message }) => `${message} (${code})`,
  )
}

const stays = 'local: volume prod.web.data of web stays as it was made'

describe('a persistent volume that is there', () => {
  it('D3 G7 is said to stay as it was made where another driver is wanted', () => {
    expect(said({ driver: 'share' })).to.deep.equal([
      `${stays}: its driver is local, and share is wanted (volume-differs)`,
    ])
    expect(said({}, 'share')).to.deep.equal([
      `${stays}: its driver is share, and local is wanted (volume-differs)`,
    ])
  })

  it('D3 G7 G16 is said to stay where other options are wanted: which ones, and none of their values', () => {
    const options = { type: 'cifs', device: '//nas/web', o: 'password=one' }
    expect(said({ driverOptions: { ...options, o: 'password=two' } }, 'local', options)).to.deep.equal([
      `${stays}: its "driver_opts" are not the ones that are wanted: o (volume-differs)`,
    ])
    expect(said({ driverOptions: options })).to.deep.equal([
      `${stays}: its "driver_opts" are not the ones that are wanted: device, o, type (volume-differs)`,
    ])
  })

  it('G7 is not mentioned where it is as it is wanted', () => {
    const options = { type: 'nfs', device: ':/srv' }
    expect(said({})).to.deep.equal([])
    expect(said({ driver: 'local', driverOptions: options }, 'local', options)).to.deep.equal([])
  })
})
