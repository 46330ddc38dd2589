"""The Jupyter server of the browser tests."""

import os

from jupyterlab.galata import configure_jupyter_server

configure_jupyter_server(c)  # noqa: F821 - Jupyter defines `c` in a configuration file

c.Application.log_level = "ERROR"  # noqa: F821
c.ServerApp.ip = "127.0.0.1"  # noqa: F821
c.ServerApp.port = int(os.environ["BCC_UI_PORT"])  # noqa: F821
c.LabApp.workspaces_dir = os.environ["BCC_UI_WORKSPACES"]  # noqa: F821
c.JupyterNotebookApp.expose_app_in_browser = True  # noqa: F821
# Jupyter's news and update checks would call out to the network.
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"  # noqa: F821
c.LabApp.news_url = None  # noqa: F821
# Here for tests/server/test_shared_notebooks.py; the browser tests are about plain JupyterLab.
c.ServerApp.jpserver_extensions.update(  # noqa: F821
    {"jupyter_server_ydoc": False, "jupyter_server_fileid": False}
)
if "BCC_UI_TEST_LABEXTENSIONS" in os.environ:
    # A build of its own, while somebody else is building.
    galata = c.LabServerApp.extra_labextensions_path  # noqa: F821
    c.LabServerApp.extra_labextensions_path = [  # noqa: F821
        os.environ["BCC_UI_TEST_LABEXTENSIONS"],
        galata,
    ]
# Whether JupyterLab should be built anew is looked up for every page, for about a second.
c.ServerApp.tornado_settings = {  # noqa: F821
    "page_config_data": {"buildAvailable": False, "buildCheck": False}
}
