package main

import "github.com/urfave/cli/v2"

// commands lists the commands in the order of the pipeline.
func (s *shell) commands() []*cli.Command {
	return []*cli.Command{
		s.demoCommand(),
		s.keygenCommand(),
		s.runCommand(),
		s.inspectCommand(),
		s.endpointsCommand(),
		s.anonymizeCommand(),
		s.auditCommand(),
		s.sampleCommand(),
		s.scheduleCommand(),
		s.synthCommand(),
		s.replayCommand(),
		s.loadCommand(),
		s.compareCommand(),
		s.reportCommand(),
		s.shopCommand(),
		s.versionCommand(),
	}
}
