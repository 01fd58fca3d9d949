import { openAccountDatabase } from '../../../src/storage/account-database.ts'
import { ACCOUNT } from '../../cluster/fixtures/protocol.ts'

// Claims the next epoch of an account, whichever it is, until there are enough; tells which it was given.
const [dataDir = '', epochs = ''] = process.argv.slice(2)
const database = openAccountDatabase(dataDir, ACCOUNT)
const owner = { pid: process.pid, socket: 'nowhere' }

process.once('message', async () => {
  const won: number[] = []
  for (;;) {
    const { epoch } = database.inspect()
    if (epoch >= Number(epochs)) break
    const { claimed, epoch: given } = database.claim(epoch, owner)
    if (claimed) won.push(given)
  }
  await database.close()
  process.send?.(won, () => process.disconnect())
})
process.send?.('ready')
