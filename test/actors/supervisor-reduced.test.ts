import t from 'tap'
import type { ChildSpec } from '../../actors/supervisor/child.ts'
import { type Actor, system } from './supervised.ts'

/** An actor that crashes at its start until it is started with less. */
function reducible(actor: Actor, crashesWhen: (isReduced: boolean) => boolean) {
  const asked: boolean[] = []
  const { prepare } = actor.spec
  const spec: ChildSpec = {
    ...actor.spec,
    canBeReduced: true,
    prepare(incarnation, isReduced) {
      asked.push(isReduced)
      const { data, ports } = prepare(incarnation, isReduced)
      const isBad = crashesWhen(isReduced)
      return { data: { ...(data as object), ...(isBad && { atStart: 'throw' }) }, ports }
    },
  }
  return { spec, asked }
}

t.test(
  'what crashes too often is started once more with less, and counts as suspended',
  async (t) => {
    const { supervisor, log, actor } = system()
    const bad = actor('account/1', 1)
    const { spec, asked } = reducible(bad, (isReduced) => !isReduced)
    const up = bad.next('up')
    await supervisor.startChild(spec)
    await up
    t.strictSame(asked, [false, false, false, false, true])
    t.match(bad.story.at(-2), /^suspended/)
    t.match(log.find(({ level }) => level === 'error')?.fields, { alert: 'actor_suspended' })
    t.equal(await bad.ask(), 5, 'it answers')
    const again = bad.next('suspended')
    await supervisor.restartChild('account/1')
    await again
    t.strictSame(asked.slice(5), [false, false, false, false], 'whole again for the operator')
    await supervisor.stopAll()
    t.equal(supervisor.status('account/1'), 'stopped')
  },
)

t.test('when that crashes too it stays away', async (t) => {
  const { supervisor, board, actor } = system()
  const bad = actor('account/1', 1)
  const { spec, asked } = reducible(bad, () => true)
  const isSuspended = Promise.all([bad.next('suspended'), bad.next('suspended')])
  await supervisor.startChild(spec)
  await isSuspended
  await bad.next('suspended')
  t.strictSame(asked.filter((isReduced) => isReduced).length, 4)
  t.equal(supervisor.status('account/1'), 'suspended')
  t.ok(board.isQuiet(), 'nobody waits for it')
  await supervisor.stopAll()
})
