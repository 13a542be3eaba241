import SettleCommand

await DomainCommand.main()
