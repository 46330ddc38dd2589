"""Planners that come with the product: the embedded one, which plays playbooks.

playbook     the format, as models          source, loader   file -> checked playbook
conditions   the condition language         rendering        values into texts and code
library      which playbooks there are      embedded         observation -> answer, actions
service      the wire protocol over it      transport        the same, in process, for httpx
"""
