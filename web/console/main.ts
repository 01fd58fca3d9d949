import { mountPage } from '../shared/page.ts'
import ConsoleApp from './console-app.vue'
import { router } from './router.ts'
import '../shared/style.css'
import './console.css'

mountPage(ConsoleApp, router)
