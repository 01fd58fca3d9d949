import t from 'tap'
import { isToken } from '../../src/domain/token.ts'
import { send } from '../../web/console/send.ts'
import { read } from '../../web/shared/read.ts'
import { typedToken } from '../../web/shared/token.ts'

t.test('F856 a token is what was meant, however it was typed or pasted', async (t) => {
  t.equal(typedToken(' let-me-in\u200b\n'), 'let-me-in')
  t.equal(typedToken('ｌｅｔ－ｍｅ－ｉｎ\u3000'), 'let-me-in')
  t.equal(typedToken('\ufefflet\u00a0-me-in\u00ad'), 'let-me-in')
  for (const one of ['', 'let-me-in', '~!@#$%^&*()']) t.ok(isToken(one), one)
  for (const one of ['令牌', 'let me in', 'b\u200b', 'é', 'a\nb']) t.notOk(isToken(one), one)
})

t.test('F856 what can be no token is refused as one, before anybody is asked', async (t) => {
  const target = { base: '', token: '令牌', accountId: '' }
  for (const asking of [read(target, '/a'), send(target, '/a')]) {
    t.match(await asking.catch((fault: unknown) => fault), { kind: 'token' })
  }
})
