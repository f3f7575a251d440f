import { expect } from 'chai'
import { entered, nextOn, type QueueSite } from '../../support/builders/queued.ts'

type Case = {
  readonly says: string
  /** In the order of entry, the wanted one last unless the site wants another. */
  readonly came: readonly string[]
  readonly site: QueueSite
  /** What is installed, in order; `!`: outside of the window. Or why nothing is. */
  readonly next: string
}

const noWay = (from: string, to: string, more = '') =>
  `no entry of "upgrade-from" leads from ${from} to ${to}${more}`

const cases: readonly Case[] = [
  {
    says: 'A65 a week of patches is one upgrade on Monday night',
    came: ['2.0', '2.0.1', '2.0.2', '2.0.3', '2.0.4', '2.0.5'],
    site: { runs: ['2.0'] },
    next: '2.0.5',
  },
  {
    says: 'A65 what ran in the middle of the week goes on from there',
    came: ['2.0', '2.0.1', '2.0.2', '2.0.3', '2.0.4', '2.0.5'],
    site: { runs: ['2.0.3'] },
    next: '2.0.5',
  },
  {
    says: 'A65 A42 a schema that 3.0 changes is changed by 3.0, and the newest after it is next',
    came: ['2.0.4', '3.0', '3.0.1 from ^3\\.0$', '3.0.2 from ^3\\.0'],
    site: { runs: ['2.0.4'] },
    next: '3.0, then 3.0.2',
  },
  {
    says: 'A65 A42 and where each needs the one before, none is skipped',
    came: ['1', '2 from ^1$', '3 from ^2$', '4 from ^3$'],
    site: { runs: ['1'] },
    next: '2, then 3, then 4',
  },
  {
    says: 'A42 a dot matches any version, as in the documentation',
    came: ['1.0', '2.0 from .'],
    site: { runs: ['1.0'] },
    next: '2.0',
  },
  {
    says: 'A42 an expression without anchors is found anywhere in the version',
    came: ['12.3', '13 from 2\\.3'],
    site: { runs: ['12.3'] },
    next: '13',
  },
  {
    says: 'A42 a dot that is none is one character of any kind',
    came: ['3x0', '3.1 from ^3.0$'],
    site: { runs: ['3x0'] },
    next: '3.1',
  },
  {
    says: 'A42 3.0 is not 3.0.1 where the expression has an end',
    came: ['3.0.1', '4 from ^3\\.0$'],
    site: { runs: ['3.0.1'] },
    next: noWay('3.0.1', '4'),
  },
  {
    says: 'A42 any of several entries of the list is enough',
    came: ['1.9', '2.1 from ^2\\.0$ or ^1\\.9$'],
    site: { runs: ['1.9'] },
    next: '2.1',
  },
  {
    says: 'A42 upper and lower case are different',
    came: ['RC1', 'RC2 from ^rc'],
    site: { runs: ['RC1'] },
    next: noWay('RC1', 'RC2'),
  },
  {
    says: 'A65 versions without an order of their own go by entry',
    came: ['spring', 'autumn', 'winter from ^autumn$'],
    site: { runs: ['spring'] },
    next: 'autumn, then winter',
  },
  {
    says: 'A65 a smaller number that came later is the later one',
    came: ['2.0', '2.1', '1.9'],
    site: { runs: ['2.0'] },
    next: '1.9',
  },
  {
    says: 'A65 of two ways the one over the later version is taken',
    came: ['1', '2', '3', '4 from ^[23]$'],
    site: { runs: ['1'] },
    next: '3, then 4',
  },
  {
    says: 'A65 a step that the running version may not take is passed over',
    came: ['1', '2 from ^1$', '3 from ^0$', '4 from ^[23]$'],
    site: { runs: ['1'] },
    next: '2, then 4',
  },
  {
    says: 'A65 a longer way is taken where there is no shorter one',
    came: ['1', '2 from ^1$', '3 from ^1$', '4 from ^2$', '5 from ^4$'],
    site: { runs: ['1'] },
    next: '2, then 4, then 5',
  },
  {
    says: 'A65 nothing that came before what runs is a step',
    came: ['0.9', '1', '2 from ^0\\.9$'],
    site: { runs: ['1'] },
    next: noWay('1', '2'),
  },
  {
    says: 'A64 A65 where nothing runs, the wanted one is installed, whatever it may follow',
    came: ['1', '2 from ^1$', '3 from ^2$'],
    site: {},
    next: '3',
  },
  {
    says: 'A65 a site that was away for the whole time catches up in two steps',
    came: ['1', '1.1', '1.2', '2 from ^1', '2.1 from ^2', '2.2 from ^2'],
    site: { runs: ['1'] },
    next: '2, then 2.2',
  },
  {
    says: 'A65 while the window is closed, the same is next',
    came: ['1', '2', '3 from ^2$'],
    site: { runs: ['1'], isOpen: false },
    next: '2, then 3',
  },
  {
    says: 'A12 A65 back to what the newer one may be followed by',
    came: ['1', '2', '1'],
    site: { runs: ['2'], wants: '1' },
    next: '1',
  },
  {
    says: 'A12 A42 and not back where the earlier one may not follow',
    came: ['1 from ^0$', '2 from ^1$', '1 from ^0$'],
    site: { runs: ['2'], wants: '1' },
    next: noWay('2', '1'),
  },
  {
    says: 'A65 what was there twice is one step, with its last paths',
    came: ['1', '2 from ^0$', '3', '2 from ^1$', '4 from ^2$'],
    site: { runs: ['1'] },
    next: '2, then 4',
  },
  {
    says: 'A65 a version that was taken back leads nowhere, and the way around it counts',
    came: ['1', '2', '1', '3', '4 from ^[23]$'],
    site: { runs: ['1'] },
    next: '3, then 4',
  },
  {
    says: 'A66 what somebody deleted is passed over, and the others are not',
    came: ['1', '2', '3', '4 from ^[23]$'],
    site: { runs: ['1'], deleted: ['3'] },
    next: '2, then 4',
  },
  {
    says: 'A66 deleting what is not on the way changes nothing',
    came: ['1.2.0', '1.2.1', '1.2.2'],
    site: { runs: ['1.2.0'], deleted: ['1.2.1'] },
    next: '1.2.2',
  },
  {
    says: 'A66 what was deleted cannot be forced by itself at the same time',
    came: ['1', '2'],
    site: { runs: ['1'], deleted: ['2'], forced: ['2'], isOpen: false },
    next: 'was deleted from the queue by ann',
  },
  {
    says: 'A66 forcing the newest takes the whole way outside of the window',
    came: ['1', '2', '3 from ^2$', '4 from ^3$'],
    site: { runs: ['1'], isOpen: false, forced: ['4'] },
    next: '2, then 3, then 4!',
  },
  {
    says: 'A66 forcing one in the middle stops there',
    came: ['1', '2', '3 from ^2$', '4 from ^3$'],
    site: { runs: ['1'], isOpen: false, forced: ['3'] },
    next: '2, then 3!',
  },
  {
    says: 'A66 of two that are forced, the later one counts',
    came: ['1', '2', '3', '4'],
    site: { runs: ['1'], isOpen: false, forced: ['2', '3'] },
    next: '3!',
  },
  {
    says: 'A66 A42 force does not make a path',
    came: ['1', '2 from ^9$', '3'],
    site: { runs: ['1'], isOpen: false, forced: ['2'] },
    next: '3',
  },
  {
    says: 'A66 G5 a forced way does not lead over what failed',
    came: ['1', '2', '3 from ^2$'],
    site: { runs: ['1'], isOpen: false, forced: ['3'], failed: ['2'] },
    next: noWay('1', '3', ', and 2 failed before: exited with code 1'),
  },
  {
    says: 'A66 what is forced is installed while the window is open, where no way leads to the wanted one',
    came: ['1', '2', '3 from ^2\\.5$'],
    site: { runs: ['1'], forced: ['2'] },
    next: '2!',
  },
  {
    says: 'A66 and outside of it, although the wanted one is forced, too',
    came: ['1', '2', '3 from ^2\\.5$'],
    site: { runs: ['1'], isOpen: false, forced: ['2', '3'] },
    next: '2!',
  },
  {
    says: 'A66 A65 what is forced is skipped while the window is open and the wanted one may follow',
    came: ['1', '2', '3'],
    site: { runs: ['1'], forced: ['2'] },
    next: '3',
  },
  {
    says: 'G5 A65 a step that failed is gone around',
    came: ['1', '2', '2.1', '3 from ^2'],
    site: { runs: ['1'], failed: ['2.1'] },
    next: '2, then 3',
  },
  {
    says: 'G24 a version may have every character that versions may have, in a path too',
    came: ['1.0-rc.1+b', '1.0 from ^1\\.0-rc\\.\\d\\+b$'],
    site: { runs: ['1.0-rc.1+b'] },
    next: '1.0',
  },
  {
    says: 'A65 A42 two versions that run both have to lead on',
    came: ['1', '2 from ^1$', '3 from ^[12]$', '4 from ^2$'],
    site: { runs: ['1', '2'], wants: '3' },
    next: '3',
  },
]

describe('what a site gets next', () => {
  for (const { says, came, site, next } of cases)
    it(says, () => {
      expect(nextOn(entered(...came), site)).to.equal(next)
    })
})
