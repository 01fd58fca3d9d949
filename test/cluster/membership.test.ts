import t from 'tap'
import { admitStart, planJoin, planLeave, type Standing } from '../../src/cluster/membership.ts'
import type { ClusterAbout } from '../../src/protocol/cluster.ts'
import type { ClusterMark } from '../../src/protocol/store.ts'

const ID = 'servers-a'
const BEGUN = { seq: 30, epoch: 4, node: 'n2', isLeft: false, isFree: false }
const LEFT = { ...BEGUN, isLeft: true }
const mark = (state: ClusterMark['state'], at = 0, id = ID): ClusterMark => ({ id, state, at })
const about = (fields: Partial<ClusterAbout> = {}): ClusterAbout => ({
  id: ID,
  end: null,
  isKept: false,
  ...fields,
})
const standing = (fields: Partial<Standing> = {}): Standing => ({
  node: 'n1',
  eligible: ['n1', 'n2'],
  mark: undefined,
  epoch: 0,
  about: about(),
  ...fields,
})
const IN = { id: ID, state: 'in', at: 0 } as const

t.test('F200 what a node that starts does with an account', async (t) => {
  for (const [name, fields, wanted] of [
    ['a new one begins at the first of its nodes', {}, { opensAt: 0, mark: IN }],
    ['a node that may not run it looks on', { eligible: ['n2'] }, { opensAt: undefined }],
    [
      'it goes on',
      { mark: mark('in'), epoch: 4, about: about({ end: BEGUN }) },
      { opensAt: undefined },
    ],
    [
      'a new computer takes part',
      { about: about({ end: BEGUN }) },
      { opensAt: undefined, mark: IN },
    ],
    ['a begin that was stopped', { mark: mark('in') }, { opensAt: 0 }],
    [
      'a leaving that was given up',
      { mark: mark('leaving', 4), epoch: 4, about: about({ end: BEGUN }) },
      { opensAt: undefined },
    ],
  ] as const) {
    t.strictSame(admitStart(standing(fields)), { ok: true, value: wanted }, name)
  }
})

t.test('F200 why a node that starts leaves an account alone', async (t) => {
  const end = BEGUN
  for (const [name, fields, text, isLasting] of [
    ['it has lived here', { epoch: 3 }, /cluster join/, true],
    ['it has lived here and there', { epoch: 3, about: about({ end }) }, /cluster join/, true],
    [
      'other servers',
      { mark: mark('in', 0, 'servers-b'), epoch: 4, about: about({ end }) },
      /servers-b.*servers-a/,
      true,
    ],
    ['joining was stopped', { mark: mark('joining'), epoch: 3 }, /join again/, true],
    [
      'leaving was stopped',
      { mark: mark('leaving', 4), epoch: 4, about: about({ end: LEFT }) },
      /leave again/,
      true,
    ],
    [
      'it has left',
      { mark: mark('left', 30), epoch: 4, about: about({ end: LEFT }) },
      /take it in again/,
      true,
    ],
    ['the journal is gone', { mark: mark('in'), epoch: 4 }, /^JOURNAL_REGRESSED/, true],
    [
      'another computer has taken it out',
      { mark: mark('in'), epoch: 3, about: about({ end: LEFT }) },
      /only that computer/,
      false,
    ],
    ['another computer begins it', { node: 'n2' }, /n1, the first/, false],
    [
      'another computer is joining',
      { about: about({ isKept: true }) },
      /steward cluster join there/,
      false,
    ],
  ] as const) {
    const admitted = admitStart(standing(fields))
    t.match(admitted, { ok: false, error: { isLasting, text } }, name)
  }
})

t.test('F201 what joining has to do', async (t) => {
  const [end, closed] = [about({ end: BEGUN }), about({ end: LEFT })]
  const open = (opensAt: number, handsOver: boolean) => ({ is: 'open', opensAt, handsOver })
  for (const [name, fields, wanted] of [
    ['an account with a history', { epoch: 3 }, open(0, true)],
    ['one without', {}, open(0, false)],
    ['a history that another node may run too', { node: 'n2', epoch: 3 }, open(0, true)],
    [
      'stopped before it was opened',
      { mark: mark('joining'), epoch: 3, about: about({ isKept: true }) },
      open(0, true),
    ],
    [
      'stopped after it was opened',
      { mark: mark('joining'), epoch: 3, about: end },
      { is: 'finish' },
    ],
    [
      'again, where it has left',
      { mark: mark('left', 30), epoch: 9, about: closed },
      open(30, true),
    ],
    ['again, and stopped', { mark: mark('joining', 30), epoch: 9, about: closed }, open(30, true)],
    ['of lost servers, to new ones', { mark: mark('left', 0, 'lost'), epoch: 9 }, open(0, true)],
    ['it is in', { mark: mark('in'), epoch: 3, about: end }, { is: 'done' }],
  ] as const) {
    t.strictSame(planJoin(standing(fields)), { ok: true, value: wanted }, name)
  }
  for (const [name, fields, text] of [
    ['no node of it', { eligible: ['n2'], epoch: 3 }, /eligible/],
    ['a journal of another history', { epoch: 3, about: end }, /n2 last/],
    ['a journal that others have closed', { epoch: 3, about: closed }, /n2 last/],
    [
      'it was taken in and out elsewhere since',
      { mark: mark('left', 20), epoch: 9, about: closed },
      /n2 last/,
    ],
    ['it was left for lost', { mark: mark('left', -1), epoch: 9, about: closed }, /n2 last/],
    ['other servers', { mark: mark('in', 0, 'servers-b'), epoch: 3, about: end }, /servers-b/],
    ['the journal is gone', { mark: mark('in'), epoch: 3 }, /JOURNAL_REGRESSED/],
    ['half of a joining elsewhere', { about: about({ isKept: true }) }, /join there/],
    ['half of a leaving', { mark: mark('leaving', 4), epoch: 4, about: closed }, /leave again/],
    ['taken out elsewhere', { mark: mark('in'), epoch: 4, about: closed }, /only that computer/],
    [
      'closed by others while it was joining',
      { mark: mark('joining'), epoch: 4, about: closed },
      /only that computer/,
    ],
  ] as const) {
    const plan = planJoin(standing(fields))
    t.notOk(plan.ok, name)
    if (!plan.ok) t.match(plan.error, text, name)
  }
})

t.test('F202 what leaving has to do', async (t) => {
  const [end, closed] = [about({ end: BEGUN }), about({ end: LEFT })]
  for (const [name, fields, wanted] of [
    ['it is in', { mark: mark('in'), epoch: 4, about: end }, { is: 'close' }],
    [
      'stopped before it was closed',
      { mark: mark('leaving', 3), epoch: 4, about: end },
      { is: 'close' },
    ],
    [
      'stopped after it',
      { mark: mark('leaving', 4), epoch: 4, about: closed },
      { is: 'finish', at: 30 },
    ],
    [
      'half of a joining that opened nothing',
      { mark: mark('joining'), epoch: 3 },
      { is: 'unmark' },
    ],
    [
      'half of a joining again',
      { mark: mark('joining', 30), epoch: 3, about: closed },
      { is: 'finish', at: 30 },
    ],
    [
      'half of a joining that opened it',
      { mark: mark('joining'), epoch: 3, about: end },
      { is: 'close' },
    ],
    ['a begin that was stopped', { mark: mark('in') }, { is: 'unmark' }],
    ['it was never in', { epoch: 3 }, { is: 'done' }],
    ['it has left', { mark: mark('left', 30), epoch: 4, about: closed }, { is: 'done' }],
  ] as const) {
    t.strictSame(planLeave(standing(fields)), { ok: true, value: wanted }, name)
  }
  for (const [name, fields, text] of [
    ['other servers', { mark: mark('in', 0, 'servers-b'), epoch: 4, about: end }, /servers-b/],
    ['the journal is gone', { mark: mark('in'), epoch: 4 }, /JOURNAL_REGRESSED/],
    ['it is gone while leaving', { mark: mark('leaving', 4), epoch: 4 }, /JOURNAL_REGRESSED/],
    [
      'another computer has taken it out',
      { mark: mark('in'), epoch: 3, about: closed },
      /only that computer/,
    ],
    ['no node of it', { eligible: ['n2'], mark: mark('in'), epoch: 4, about: end }, /eligible/],
  ] as const) {
    const plan = planLeave(standing(fields))
    t.notOk(plan.ok, name)
    if (!plan.ok) t.match(plan.error, text, name)
  }
})
