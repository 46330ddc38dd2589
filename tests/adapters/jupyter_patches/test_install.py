"""What the extension changes of a running server: exactly what the table says, and only once."""

import re

import pytest

from notebook_bcc_ext.adapters import jupyter_patches
from notebook_bcc_ext.adapters.jupyter_patches.install import install
from notebook_bcc_ext.server.handlers import HOST_SETTING

AT_LOAD = {"session_manager.create_session", "session_manager._notebook_bcc_shares_sessions"}
ON_FIRST_USE = {
    "contents_manager.get",
    "contents_manager.save",
    "contents_manager.delete",
    "contents_manager.rename",
    "contents_manager.create_checkpoint",
    "contents_manager.restore_checkpoint",
    "contents_manager.emit",
    "contents_manager._save_notebook",
    "notary.store",
    "notary.store_factory",
}


@pytest.fixture
def jp_server_config():
    """The extension is loaded by the tests that want it."""
    return {"ServerApp": {"jpserver_extensions": {}}}


def objects_of(serverapp):
    """The parts of a server that an extension works with."""
    contents = serverapp.contents_manager
    return {
        "contents_manager": contents,
        "notary": contents.notary,
        "checkpoints": contents.checkpoints,
        "session_manager": serverapp.session_manager,
        "kernel_manager": serverapp.kernel_manager,
        "kernel_spec_manager": serverapp.kernel_spec_manager,
        "event_logger": serverapp.event_logger,
        "authorizer": serverapp.authorizer,
    }


def attributes_of(serverapp):
    """Own attributes and traits of each, and all members of its classes."""
    found = {}
    for name, one in objects_of(serverapp).items():
        own = {**vars(one), **getattr(one, "_trait_values", {})}
        found |= {f"{name}.{key}": value for key, value in own.items()}
        for cls in type(one).__mro__:
            found |= {f"{cls.__qualname__}!{key}": value for key, value in vars(cls).items()}
    return found


def changed(before, after):
    return {name for name in before | after if before.get(name) is not after.get(name)}


def use_once(serverapp):
    """Whatever Jupyter makes on first use is made."""
    for one in objects_of(serverapp).values():
        for name in getattr(one, "trait_names", list)():
            getattr(one, name, None)


async def test_exactly_these_attributes_are_changed(jp_configurable_serverapp):
    app = jp_configurable_serverapp()
    use_once(app)
    fresh = attributes_of(app)
    app.extension_manager.add_extension("notebook_bcc_ext", enabled=True)
    app.extension_manager.link_all_extensions()
    app.extension_manager.load_extension("notebook_bcc_ext")
    loaded = attributes_of(app)
    assert changed(fresh, loaded) == AT_LOAD

    host = app.web_app.settings[HOST_SETTING]
    try:
        workplace = await host.workplace()
        used = attributes_of(app)
        assert changed(loaded, used) == ON_FIRST_USE

        install(app)
        install(app, workplace.saves)
        type(workplace.access)(app.contents_manager).close()
        assert changed(used, attributes_of(app)) == set()
    finally:
        await host.close()


def test_the_table_names_all_of_them():
    named = set(re.findall(r"`(\w+)`", jupyter_patches.__doc__))
    marks = {"_notebook_bcc_shares_sessions"}
    assert {name.partition(".")[2] for name in AT_LOAD | ON_FIRST_USE} - marks <= named
