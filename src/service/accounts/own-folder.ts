import { ServiceError } from '../../domain/errors.ts'
import { folderOf } from '../../domain/ids.ts'

/** Two accounts in one folder would be one set of books with two owners. Errors  `VALIDATION`. */
export function mustHaveOwnFolder(id: string, known: Iterable<string>): void {
  const isTwin = (other: string) => other !== id && folderOf(other) === folderOf(id)
  const twin = [...known].find(isTwin)
  if (twin === undefined) return
  const text = `account_id: 与账户 ${twin} 只差大小写，会是同一个文件夹，请核对账号 (differs from the account ${twin} in case alone, which would be the same folder; check the id)`
  throw new ServiceError('VALIDATION', text, { account_id: [text] })
}
