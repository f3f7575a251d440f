import { expect } from 'chai'
import { identityOf } from '../../../lib/reconcile/site/identity/twin.ts'
import { infoOfSwarm } from '../../../lib/swarm/info.ts'
import { engineAnswering } from '../docker/answering.ts'

describe('the identity of a Swarm', () => {
  const { signal } = new AbortController()
  const by = async (ID: string, Name: string) =>
    identityOf(
      await infoOfSwarm(
        engineAnswering({
          '/info': { ID, Name, Swarm: { ControlAvailable: true } },
          '/version': { Version: '27.0.0', Os: 'linux', Arch: 'amd64' },
          '/swarm': { ID: 'q3tp' },
        }),
        signal,
      ),
    )

  it('D17 is one for all of its managers, so that two sites of them are known as one engine', async () => {
    expect(await by('n1', 'one')).to.equal('q3tp')
    expect(await by('n2', 'two')).to.equal('q3tp')
  })
})
