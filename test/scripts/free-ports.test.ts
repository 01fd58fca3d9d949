import t from 'tap'

interface FreePorts {
  freePort(): Promise<number>
}

/** As another process has it, whose number ends in the same. */
const another = (name: string): Promise<FreePorts> => import(`../free-ports.ts?${name}`)

t.test('two processes are never told the same port', async (t) => {
  const [one, two] = [await another('one'), await another('two')]
  const ports = [
    await one.freePort(),
    await two.freePort(),
    await one.freePort(),
    await two.freePort(),
  ]
  t.equal(new Set(ports).size, ports.length, ports.join(' '))
})
