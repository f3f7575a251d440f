import { expect } from 'chai'
import { powersOf, volumePower } from '../../../../lib/plan/text/powers.ts'
import { type Policy, strictPolicy, violations } from '../../../../lib/spec/policy/policy.ts'
import { volumeViolation } from '../../../../lib/spec/policy/volume.ts'
import type { Container } from '../../../../lib/state/application/container/container.ts'
import type { Volume } from '../../../../lib/state/application/volume.ts'
import { container } from '../../../support/builders/builders.ts'

/** What each key of a policy allows, as a container that needs it: a new key needs its row here. */
type Needs = { readonly container: Partial<Container> } | { readonly volume: Partial<Volume> } | 'told apart'

const needs: Readonly<Record<keyof Policy, Needs>> = {
  privileged: { container: { privileged: true } },
  hostMounts: { container: { mounts: [{ kind: 'host', source: '/srv', path: '/srv' }] } },
  // Is a network and no field of a container: plan/whole.test.ts has it.
  hostNetwork: 'told apart',
  hostPid: { container: { pid: 'host' } },
  hostIpc: { container: { ipc: 'host' } },
  oomProtection: { container: { oomScoreAdj: -500 } },
  capabilities: { container: { capAdd: ['SYS_ADMIN'] } },
  devices: { container: { devices: [{ host: '/dev/kvm', container: '/dev/kvm', permissions: 'rwm' }] } },
  securityOptions: { container: { securityOpt: ['apparmor=unconfined'] } },
  volumeDrivers: { volume: { driver: 'nfs' } },
  remoteVolumes: {
    volume: { driverOptions: { type: 'nfs', o: 'addr=10.0.0.1', device: ':/srv' } },
  },
  logDrivers: { container: { logging: { driver: 'syslog', options: {} } } },
  sysctls: { container: { sysctls: { 'kernel.panic': '1' } } },
  // What is published has a line of its own, whatever the policy says.
  ports: 'told apart',
  // Hosts, ports and names of secrets are shown with what has them.
  applications: 'told apart',
}

describe('everything that a policy has to allow', () => {
  for (const [key, need] of Object.entries(needs)) {
    if (need === 'told apart') continue
    it(`G23 is told of what is new: ${key}`, () => {
      if ('container' in need) {
        const whole = { ...container(), ...need.container }
        expect(violations(whole, strictPolicy)).to.not.deep.equal([])
        expect(powersOf(whole)).to.have.length(1)
      } else {
        const volume = { name: 'store', application: 'web', ...need.volume }
        expect(volumeViolation(volume, strictPolicy)).to.not.equal(undefined)
        expect(volumePower(volume)).to.have.length(1)
      }
    })
  }

  it('G23 is nothing of an ordinary container', () => {
    expect(powersOf(container({ hostPort: 80, exclusiveVolume: 'store' }))).to.deep.equal([])
    expect(volumePower({ name: 'store', application: 'web' })).to.deep.equal([])
  })
})
